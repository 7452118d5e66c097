// The questions of the beginning, and of whoever comes back: what changed is answered, what was never answered is skipped, and
// nothing is sent twice. A key goes straight into the vault and out of the page.
import { fresh, post } from './actions.js';

const TYPED = 'hq-onboarding';
const OF_PROVIDER = new Set(['provider', 'model', 'base_url']);

export function start() {
  const form = document.querySelector('#onboarding');
  if (!form) return;
  form.addEventListener('submit', event => {
    event.preventDefault();
    begin(form);
  });
  form.querySelector('#q-provider').addEventListener('change', () => {
    fill(form);
    offer(form);
  });
  form.querySelector('[data-test]').addEventListener('click', () => test(form));
  fill(form);
  recall(form);
  form.addEventListener('input', () => keep(form));
  offer(form);
}

// The model and the address that are set for the chosen provider.
function fill(form) {
  const set = ofChosen(form);
  for (const name of ['model', 'base_url']) form.querySelector(`[name=${name}]`).value = set[name];
}

function ofChosen(form) {
  const { model = '', address = '' } = form.querySelector('#q-provider').selectedOptions[0].dataset;
  return { model, base_url: address };
}

// Who goes to look at something else finds what was typed when coming back, in this tab; never a key, which has no name here.
function keep(form) {
  const typed = [...form.querySelectorAll('[name]')].map(field => [field.name, field.value]);
  sessionStorage.setItem(TYPED, JSON.stringify(Object.fromEntries(typed)));
}

function recall(form) {
  const typed = JSON.parse(sessionStorage.getItem(TYPED) ?? '{}');
  for (const [name, value] of Object.entries(typed)) {
    const field = form.querySelector(`[name=${name}]`);
    if (field) field.value = value;
  }
}

// Only what the chosen provider takes is asked for.
function offer(form) {
  const chosen = form.querySelector('#q-provider').selectedOptions[0];
  const real = chosen.value !== '' && chosen.value !== 'none';
  const model = form.querySelector('#q-model');
  show(form, 'key', real && 'key' in chosen.dataset);
  show(form, 'model', real);
  show(form, 'address', real && 'needsAddress' in chosen.dataset);
  show(form, 'test', chosen.value !== '');
  model.required = real && 'needsModel' in chosen.dataset && chosen.defaultSelected === false;
  form.querySelector('[data-optional]').hidden = model.required;
  form.querySelector('#q-base_url').required = real && 'needsAddress' in chosen.dataset && chosen.defaultSelected === false;
  form.querySelector('#q-key').placeholder = 'needsKey' in chosen.dataset ? 'Paste it here; leave empty to keep the one that is there' : 'Paste it here, if it wants one';
  form.querySelector('.tested').hidden = true;
}

function show(form, what, wanted) {
  form.querySelector(`[data-for=${what}]`).hidden = !wanted;
}

// What was said of the provider and differs from what is set, as the verb takes it.
function ofProvider(form) {
  const said = {};
  for (const name of OF_PROVIDER) {
    const field = form.querySelector(`[name=${name}]`);
    if (field.value.trim() && !field.closest('[hidden]')) said[name] = field.value.trim();
  }
  const same = form.querySelector('#q-provider').selectedOptions[0].defaultSelected;
  const set = ofChosen(form);
  const differs = ['model', 'base_url'].some(name => said[name] && said[name] !== set[name]);
  return same && !differs ? {} : said;
}

async function keepKey(form) {
  const box = form.querySelector('#q-key');
  const value = box.value.trim();
  if (!value || box.closest('[hidden]')) return { ok: true };
  const name = form.querySelector('#q-provider').selectedOptions[0].dataset.key;
  const kept = await post('/api/vault/set', JSON.stringify({ name, value }), fresh());
  if (kept.ok) box.value = '';
  return kept;
}

async function test(form) {
  if (!form.reportValidity()) return;
  const button = form.querySelector('[data-test]');
  const chosen = form.querySelector('#q-provider').selectedOptions[0];
  button.disabled = true;
  tested(form, 'Asking…', '');
  let said = await keepKey(form);
  const changed = ofProvider(form);
  if (said.ok && changed.provider) said = await post('/api/onboard/answer', JSON.stringify(changed), fresh());
  if (said.ok) {
    for (const each of form.querySelectorAll('#q-provider option')) each.defaultSelected = each === chosen;
    if (changed.model) chosen.dataset.model = changed.model;  // that is set now, and not sent again
    if (changed.base_url) chosen.dataset.address = changed.base_url;
    const name = chosen.value === 'none' ? 'script' : chosen.value;
    said = await post('/api/mind/test', JSON.stringify({ name }), fresh());
  }
  button.disabled = false;
  const answered = said.data?.items?.[0];
  if (!said.ok) tested(form, `${said.plain}. ${LATER}`, 'bad');
  else if (chosen.value === 'none') tested(form, 'The script answers from now on.', 'good');
  else tested(form, `It answers: ${answered.model}, in ${(answered.latency_ms / 1000).toFixed(1)} s.`, 'good');
}

const LATER = 'Try again, or go on: until it works, the script answers, and a card reminds you.';

function tested(form, message, mark) {
  const place = form.querySelector('.tested');
  place.textContent = message;
  place.dataset.mark = mark;
  place.hidden = false;
}

async function begin(form) {
  const problem = form.querySelector('.problem');
  const button = form.querySelector('button.main');
  button.disabled = true;
  // Before the CEO says its first word it is known whether what was chosen answers; until it does the script stands in.
  if (ofProvider(form).provider) await test(form);
  const body = { ...ofProvider(form), skip: [] };
  for (const field of form.querySelectorAll('[name]')) {
    if (OF_PROVIDER.has(field.name)) continue;
    const value = field.value.trim();
    if (!value) body.skip.push(field.name);
    else if (value !== before(field)) body[field.name] = field.type === 'number' ? Number(value) : value;
  }
  const same = form.querySelector('#q-provider').selectedOptions[0];
  if (!body.provider && !(same.value && same.defaultSelected)) body.skip.push('provider');
  problem.hidden = true;
  const kept = await keepKey(form);
  const text = JSON.stringify(body);
  const said = kept.ok ? await post('/api/onboard/answer', text, `onboarding:${await digest(text)}:${form.dataset.at}`) : kept;
  if (said.ok) {
    sessionStorage.removeItem(TYPED);
    return location.assign('/');
  }
  button.disabled = false;
  problem.textContent = said.message;
  problem.hidden = false;
  problem.focus();
}

function before(field) {
  return field.tagName === 'SELECT' ? [...field.options].find(each => each.defaultSelected)?.value : field.defaultValue;
}

async function digest(text) {
  if (!crypto.subtle) return String(text.length);  // not on a secure origin
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(bytes.slice(0, 8), byte => byte.toString(16).padStart(2, '0')).join('');
}
