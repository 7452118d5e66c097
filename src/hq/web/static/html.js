// The one place where text becomes HTML: only what this server rendered and cleaned.
const policy = globalThis.trustedTypes?.createPolicy('hq', { createHTML: html => html });

export function fragment(html) {
  const template = document.createElement('template');
  template.innerHTML = policy ? policy.createHTML(html) : html;
  return template.content;
}

export async function fetched(path) {
  try {
    const answer = await fetch(path);
    if (answer.status === 401) location.assign('/');
    return answer.ok ? fragment(await answer.text()) : null;
  } catch {
    return null; // offline; the stream says so, and the next event asks again
  }
}
