// The conversation: lines as they come, the answer while it is being said, and what the founder says.
import { fresh, post } from './actions.js';
import { listen } from './bus.js';
import { fetched, fragment } from './html.js';
import { localTimes } from './times.js';

const lines = document.querySelector('#lines');
const scroll = document.querySelector('.scroll');
const form = document.querySelector('#composer');
const box = form.elements.text;
let draft = null;
const ANSWERED = new Set(['ask', 'card', 'mission', 'skill', 'approval', 'proposal', 'review', 'escalation', 'question']);
const DRAFT = 'hq-draft';
const newer = document.querySelector('.newer');
let seeing = 0;
let leaving = false;

export function start() {
  listen(hear);
  form.addEventListener('submit', event => {
    event.preventDefault();
    say(box.value);
  });
  box.addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  box.addEventListener('input', () => {
    sessionStorage.setItem(DRAFT, box.value);  // of this tab: it is there again after a reload
    fit();
  });
  box.value ||= sessionStorage.getItem(DRAFT) ?? '';
  fit();
  newer.addEventListener('click', () => {
    toEnd();
    box.focus();
  });
  document.addEventListener('click', event => {
    if (event.target.dataset.say) say(event.target.dataset.say);
  });
  new ResizeObserver(() => stick()).observe(scroll);
  document.addEventListener('visibilitychange', seen);
  addEventListener('pagehide', () => { leaving = true; });
  addEventListener('pageshow', () => { leaving = false; });
  seen();
  toEnd();
}

function hear({ name, data }) {
  if (name === 'line') keepingPlace(() => add(data));
  if (name === 'line' && !atEnd) newer.hidden = false;
  if (name === 'line' && data.role !== 'user') seen();
  if (name === 'draft') keepingPlace(() => sketch(data));
  if (name === 'changed' && data.nouns.some(noun => ANSWERED.has(noun))) refreshOpen();
}

// A card in the conversation that somebody answered elsewhere, or that nobody has to answer any more. One that was pressed here
// is left until its answer comes: who lost the race is told so on it.
export async function refreshOpen() {
  for (const card of lines.querySelectorAll('.card[data-card][data-state=open]:not([data-pressed]):has(> .problem[hidden])')) {
    const now = await fetched(`/part/card?id=${encodeURIComponent(card.dataset.card)}`);
    if (now?.firstElementChild && now.firstElementChild.dataset.state !== 'open') card.replaceWith(now);
  }
}

// Whoever looks at the page has read it, on this device; told a little later, so that many lines are one reading.
function seen() {
  clearTimeout(seeing);
  if (document.visibilityState !== 'visible') return;
  seeing = setTimeout(() => post('/api/chat/read', '{}', `read:${Date.now()}:${Math.random()}`), 800);
}

function add({ id, role, text, html }) {
  if (role !== 'user') endDraft();
  const known = document.getElementById(`l-${id}`);
  if (known && !known.classList.contains('own')) return;
  const line = fragment(html);
  localTimes(line);
  const sent = known ?? (role === 'user' && [...lines.querySelectorAll('.pending')].find(each => each.dataset.text === text));
  if (sent) sent.replaceWith(line);
  else if (draft && role === 'user') draft.before(line);
  else lines.append(line);
  document.querySelector('#empty')?.remove();
}

function sketch({ fresh, blocks, tail }) {
  draft ??= begin();
  const [done, under] = draft.querySelectorAll('.blocks, .tail');
  if (fresh) done.replaceChildren();
  done.append(fragment(blocks));
  under.replaceChildren(fragment(tail));
}

function begin() {
  const made = document.createElement('article');
  made.className = 'line assistant draft';
  made.setAttribute('aria-busy', 'true');
  const head = document.createElement('header');
  const name = document.createElement('b');
  name.textContent = document.querySelector('.head h1').textContent;
  head.append(name);
  const text = document.createElement('div');
  text.className = 'text';
  for (const part of ['blocks', 'tail']) {
    const div = document.createElement('div');
    div.className = part;
    text.append(div);
  }
  made.append(head, text);
  lines.append(made);
  return made;
}

function endDraft() {
  draft?.remove();
  draft = null;
}

async function say(text) {
  text = text.trim();
  if (!text) return;
  const body = JSON.stringify({ text, shown: lastShown() });
  const shown = optimistic(text);
  write('');
  box.focus();
  const said = await post('/api/chat/say', body, fresh());
  if (leaving) return;  // what was sent arrives; only its answer is heard by nobody
  const problem = form.querySelector('.problem');
  problem.hidden = said.ok;
  if (!said.ok) {
    shown.remove();
    write(text);
    problem.textContent = said.code === 'frozen' ? said.plain : said.message;  // the way out is at the head of the page
    problem.toggleAttribute('data-unreached', Boolean(said.unreached));
  } else if (document.getElementById(`l-${said.data.id}`)) {
    shown.remove();
  } else {
    shown.id = `l-${said.data.id}`;
    shown.classList.remove('pending');
  }
}

// The last line of others that stands on the screen: what is typed answers nothing that came after it, or is further down.
function lastShown() {
  const end = scroll.getBoundingClientRect().bottom + 80;
  const seen = [...lines.querySelectorAll('.line[id^="l-"]:not(.user)')].filter(each => each.getBoundingClientRect().bottom <= end);
  return seen.length ? seen.at(-1).id.slice(2) : 'nothing';
}

function write(text) {
  box.value = text;
  sessionStorage.setItem(DRAFT, text);
  fit();
}

function optimistic(text) {
  const made = document.createElement('article');
  made.className = 'line user own pending';
  made.dataset.text = text;
  const head = document.createElement('header');
  const name = document.createElement('b');
  name.textContent = 'You';
  head.append(name);
  const body = document.createElement('div');
  body.className = 'text plain';
  body.textContent = text;
  made.append(head, body);
  document.querySelector('#empty')?.remove();
  lines.append(made);
  toEnd();
  return made;
}

// Whoever reads further up is not torn down to the end.
let atEnd = true;
scroll.addEventListener('scroll', () => {
  atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  if (atEnd) newer.hidden = true;
});

function keepingPlace(change) {
  change();
  stick();
}

function stick() {
  if (atEnd) toEnd();
}

function toEnd() {
  scroll.scrollTop = scroll.scrollHeight;
  atEnd = true;
  newer.hidden = true;
}

function fit() {
  box.style.height = 'auto';
  box.style.height = `${Math.min(box.scrollHeight, 200)}px`;
}
