// Light or dark as the system says, unless the reader chose.
const KEY = 'hq-theme';

export function theme() {
  apply(localStorage.getItem(KEY));
  document.querySelector('[data-theme-button]').addEventListener('click', () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === 'dark'
      || (!localStorage.getItem(KEY) && matchMedia('(prefers-color-scheme: dark)').matches);
    const chosen = dark ? 'light' : 'dark';
    localStorage.setItem(KEY, chosen);
    apply(chosen);
  });
}

function apply(chosen) {
  if (chosen) document.documentElement.dataset.theme = chosen;
}
