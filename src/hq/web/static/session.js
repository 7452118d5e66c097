// One session: its steps as they come. The stream only says that there is something new, and is open only while somebody looks.
import { fetched } from './html.js';
import { localTimes } from './times.js';

const steps = document.querySelector('#steps');
const scroll = document.querySelector('.scroll');
let source = null;
let busy = false;
let again = false;

export function start() {
  scroll.scrollTop = scroll.scrollHeight;
  if (new URLSearchParams(location.search).get('at')) return;
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', stop);
  follow();
}

function follow() {
  stop();
  if (document.visibilityState !== 'visible' || standing().dataset.over === 'true') return;
  source = new EventSource(`/api/sessions/${steps.dataset.session}/steps?after=${standing().dataset.last}`);
  source.addEventListener('message', refresh);
  source.addEventListener('state', refresh);
  source.addEventListener('over', refresh);
}

function stop() {
  source?.close();
  source = null;
}

// Only the last steps are drawn anew: those that are new, and the calls among them that have come back since.
export async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  do {
    again = false;
    const tail = Number(standing().dataset.tail);
    const fresh = await fetched(`/part/sessions/${steps.dataset.session}?after=${tail}`);
    if (fresh) replaceTail(fresh, tail);
  } while (again);
  busy = false;
  if (standing().dataset.over === 'true') stop();
}

function replaceTail(fresh, tail) {
  const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const old = [...steps.children].filter(each => each === standing() || Number(each.dataset.step) > tail);
  const open = new Set(folds(old).filter(([, fold]) => fold.open).map(([key]) => key));
  for (const [key, fold] of folds([...fresh.children])) fold.open = open.has(key);
  localTimes(fresh);
  for (const each of old) each.remove();
  steps.append(fresh);
  if (atEnd) scroll.scrollTop = scroll.scrollHeight;
}

// What can be folded, each under a name that it keeps: its step, and the how-manieth of that step it is.
function folds(elements) {
  const seen = {};
  return elements.filter(each => each.matches('details')).map(fold => {
    const step = fold.dataset.step;
    seen[step] = (seen[step] ?? 0) + 1;
    return [`${step}.${seen[step]}`, fold];
  });
}

function standing() {
  return steps.querySelector('.standing');
}
