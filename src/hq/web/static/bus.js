// One stream for all tabs: a browser opens only six connections to a server. Whoever holds the lock reads it and tells
// the others; when that tab goes, another takes over where it was.
const NAMES = ['line', 'draft', 'status', 'changed'];
const SILENCE = 12_000; // the server says something every 4 seconds
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('hq') : null;
const listeners = new Set();
let last = '';
let shown = () => {};

export function listen(listener) {
  listeners.add(listener);
}

export async function follow(after, listener, live) {
  last = after;
  shown = live;
  listen(listener);
  channel?.addEventListener('message', ({ data }) => (data.name === 'live' ? shown(data.data) : hear(data)));
  if (!navigator.locks || !channel) return lead();
  const { held } = await navigator.locks.query();
  if (held.some(lock => lock.name === 'hq-stream')) shown(true);
  navigator.locks.request('hq-stream', () => lead());
}

export function place() {
  return last;
}

function hear(event) {
  if (event.id) last = event.id;
  for (const listener of listeners) listener(event);
}

// Never ends: the lock is held for as long as the tab is open.
function lead() {
  let source;
  let heard = Date.now();
  const open = () => {
    source?.close();
    heard = Date.now();
    source = new EventSource(`/stream?after=${encodeURIComponent(last)}`);
    for (const name of NAMES) source.addEventListener(name, message => pass(name, message));
    for (const name of ['ready', 'heartbeat']) source.addEventListener(name, () => alive());
    source.addEventListener('end', () => tellLive(false));
    source.addEventListener('error', () => tellLive(false));
  };
  const pass = (name, message) => {
    alive();
    const event = { name, id: message.lastEventId, data: JSON.parse(message.data) };
    channel?.postMessage(event);
    hear(event);
  };
  const alive = () => {
    heard = Date.now();
    tellLive(true);
  };
  const check = () => {
    const silent = Date.now() - heard > SILENCE; // also where nobody closes the connection: a server that hangs, a cable that is out
    if (silent) tellLive(false);
    if (silent || source.readyState === EventSource.CLOSED) open();
  };
  open();
  setInterval(check, 2000);
  for (const name of ['online', 'pageshow']) addEventListener(name, check);
  document.addEventListener('visibilitychange', check);
  return new Promise(() => {});
}

function tellLive(live) {
  channel?.postMessage({ name: 'live', data: live });
  shown(live);
}
