// What every page does: keeps its marks live, lets buttons act, and loads what the page itself needs.
import { act, keepTroubles } from './actions.js';
import { follow } from './bus.js';
import { fetched } from './html.js';
import { localTimes } from './times.js';
import { theme } from './theme.js';
import { inTurn } from './turns.js';

const here = document.documentElement.dataset.here;
const WAITING = new Set(['ask', 'approval', 'review', 'proposal', 'question', 'card', 'message', 'escalation', 'mission', 'skill', 'mind', 'vault', 'freeze']);
const SHOWN = {  // which news a page is drawn anew for
  work: new Set(['task', 'mission']),
  mission: new Set(['mission']),
  agents: new Set(['agent', 'session', 'chat']),
  agent: new Set(['agent', 'session', 'chat', 'mission', 'message']),
};
const past = new URLSearchParams(location.search).get('at');
const refreshCards = inTurn(drawCards);
const drawLive = inTurn(drawPart);

theme();
localTimes(document);
act(async () => {
  await refreshCards();
  if (here === 'chat' && !past) (await import('./chat.js')).refreshOpen();
});

follow(document.body.dataset.after, event => {
  if (event.name === 'status') showStatus(event.data);
  if (event.name === 'status' && here !== 'chat') refreshCards();  // what was said meanwhile is unread here
  if (event.name === 'line' && here === 'chat') refreshCards();  // what stands there now stands beside it no longer
  if (event.name === 'status' && here.startsWith('agent') && !past) redraw();
  if (event.name === 'changed') changed(event.data.nouns);
}, showLive);

addEventListener('hashchange', toField);
toField();

document.addEventListener('click', event => {
  if (event.target.dataset?.more) more(event.target);
});
if (here === 'session') import('./session.js').then(page => page.start());
if (here === 'onboarding') import('./onboarding.js').then(page => page.start());
if (here === 'chat' && !past) import('./chat.js').then(chat => chat.start());

function showStatus({ state, why, frozen }) {
  document.querySelector('.stopped').hidden = !frozen;
  for (const pip of document.querySelectorAll('[data-pip]')) pip.dataset.state = pip.dataset.known = state;
  for (const says of document.querySelectorAll('[data-why]')) says.textContent = says.dataset.known = why;
}

// How the CEO is, nobody knows where there is no connection.
function showKnown(live) {
  for (const pip of document.querySelectorAll('[data-pip]')) {
    pip.dataset.known ??= pip.dataset.state;
    pip.dataset.state = live ? pip.dataset.known : 'lost';
  }
  for (const says of document.querySelectorAll('[data-why]')) {
    says.dataset.known ??= says.textContent;
    says.textContent = live ? says.dataset.known : 'no connection';
  }
}

// A moment without a connection is no news: a page is left and entered all the time.
let lost = 0;
let wasLost = false;
function showLive(live) {
  if (live && wasLost) changed(['ask', ...(SHOWN[here] ?? [])]); // what was decided meanwhile is not asked any more
  wasLost = !live;
  const mark = document.querySelector('[data-live]');
  const banner = document.querySelector('.offline');
  mark.dataset.live = live ? 'on' : 'off';
  mark.textContent = live ? 'Live' : 'Connecting…';
  showKnown(live);
  clearTimeout(lost);
  if (live) {
    banner.hidden = true;
    for (const old of document.querySelectorAll('.problem[data-unreached]')) old.hidden = true;
  }
  else lost = setTimeout(() => { banner.hidden = false; }, 3000);
}

function changed(nouns) {
  if (nouns.some(noun => WAITING.has(noun))) refreshCards();
  if (!past && nouns.some(noun => SHOWN[here]?.has(noun))) redraw();
}

async function drawCards() {
  const of = document.querySelector('#cards')?.dataset.of;
  const fresh = await fetched(`/part/cards?here=${here}${of ? `&mission=${encodeURIComponent(of)}` : ''}`);
  if (!fresh) return;
  const marks = fresh.querySelector('[data-total]').dataset;
  const count = Number(marks.total);
  showBadge('[data-badge]', count);
  showBadge('[data-unread-badge]', here === 'chat' ? 0 : Number(marks.unread));
  keepAnswers('#cards', fresh);
  keepTroubles(fresh);
  if (!past) document.querySelector('#cards')?.replaceChildren(fresh);
  const title = document.title.replace(/^\(\d+\) /, '');
  document.title = count ? `(${count}) ${title}` : title;
  if (here === 'inbox' && !past) document.querySelector('#empty').hidden = document.querySelector('#cards .card') !== null;
}

function showBadge(which, count) {
  const badge = document.querySelector(which);
  badge.hidden = count === 0;
  badge.querySelector('[data-count]').textContent = count;
}

// What somebody is typing into a card stays when the cards are drawn anew.
function keepAnswers(within, fresh) {
  for (const box of document.querySelectorAll(`${within} .answer`)) {
    const next = fresh.querySelector(`#${CSS.escape(box.id)}`);
    if (!next) continue;
    if (box === document.activeElement) queueMicrotask(() => next.focus());
    next.value = box.value;
  }
}

// Many events at once are one drawing; whoever has opened more of a list keeps what is open.
let drawing = 0;
function redraw() {
  clearTimeout(drawing);
  drawing = setTimeout(drawLive, 150);
}

async function drawPart() {
  const live = document.querySelector('#live');
  if (live.dataset.longer) return;
  const fresh = await fetched(live.dataset.part);
  if (!fresh || live.dataset.longer) return;
  localTimes(fresh);
  for (const each of fresh.querySelectorAll('[data-into]')) document.querySelector(each.dataset.into).textContent = each.textContent;
  keepAnswers('#live', fresh);
  const pressed = live.querySelector('.card[data-pressed]');
  if (pressed) return;
  const focused = live.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  live.replaceChildren(fresh);
  if (focused) live.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

// Who is led to a form is led to what is to be filled in.
function toField() {
  if (location.hash.length < 2) return;
  document.getElementById(location.hash.slice(1))?.querySelector('textarea, input, select')?.focus();
}

// More of a list, in place of the button that asked for it; what comes before a conversation leaves the reader where he is.
async function more(button) {
  const scroll = document.querySelector('.scroll');
  const from = scroll.scrollHeight;
  button.disabled = true;
  const live = button.closest('#live');
  if (live) live.dataset.longer = 'yes';
  const found = await fetched(button.dataset.more);
  button.disabled = false;
  if (!found) return;
  localTimes(found);
  const before = here === 'session' || here === 'chat';
  button.closest('.earlier').replaceWith(found);
  if (before) scroll.scrollTop += scroll.scrollHeight - from;
}
