// A button is a verb with a key: pressed twice, or on two devices, it acts once.
const HOLDS = '.card, .stopped'; // what a button stands on

export function act(after) {
  document.addEventListener('click', event => {
    const button = event.target.closest('[data-post]');
    if (button) press(button, after);
    if (event.target.matches('[data-dismiss]')) dismiss(event.target.closest(HOLDS), after);
  });
}

async function press(button, after) {
  const card = button.closest(HOLDS);
  const buttons = card.querySelectorAll('button');
  const problem = card.querySelector('.problem');
  for (const each of buttons) each.disabled = true;
  problem.hidden = true;
  card.dataset.pressed = '';
  const answer = card.querySelector('[data-answer]');
  const takes = button.dataset.post === '/api/ask/answer' || 'says' in button.dataset;
  const body = answer && takes ? JSON.stringify({ ...JSON.parse(button.dataset.body), [answer.dataset.answer]: answer.value }) : button.dataset.body;
  const said = await post(button.dataset.post, body, button.dataset.key || fresh());
  delete card.dataset.pressed;
  const followed = said.data?.result;
  if (said.ok && followed && !followed.ok) {
    said.ok = false;
    said.message = followed.error?.message ?? 'that could not be done';
  }
  if (said.ok && said.data?.already && said.data.counted === false) {
    // Another answer came first and counts. Nothing is left to press, and whoever pressed is told.
    const { answer: counts, pressed, answered_by, pressed_by, answered_at, pressed_at, state, ended_by, why } = said.data;
    const when = answered_at ?? pressed_at;
    const at = when ? `, ${new Date(when).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}` : '';
    const came = state === 'withdrawn' ? `withdrawn by ${who(ended_by)}: ${why ?? 'no reason given'}` : `answered already by ${who(answered_by ?? pressed_by)}${at}: ${label(card, counts ?? pressed)}`;
    tell(problem, `This was ${came}. Your answer did not count.`);
    await after(card);
    return;
  }
  if (said.ok && button.dataset.goes) {
    location.assign(button.dataset.goes + said.data.slug);
    return;
  }
  if (said.ok) {
    await after(card);
    document.querySelector('#text, #main')?.focus();
    return;
  }
  for (const each of buttons) each.disabled = false;
  tell(problem, said.message, said.unreached);
}

// An actor as people say it, and an option by what its button says.
function who(actor) {
  return actor?.replace(/^\w+:/, '') ?? 'somebody';
}

function label(card, key) {
  for (const button of card.querySelectorAll('[data-post]')) {
    const { option, button: pressed } = JSON.parse(button.dataset.body);
    if ((option ?? pressed) === key) return button.textContent;
  }
  return key;
}

function tell(problem, message, unreached = false) {
  problem.toggleAttribute('data-unreached', unreached);
  problem.querySelector('span').textContent = message;
  problem.querySelector('button').disabled = false;
  problem.hidden = false;
}

function dismiss(card, after) {
  card.querySelector('.problem').hidden = true;
  after(card);
}

// Why a button did not work stays in sight until it is dismissed or works: also when its card is drawn anew, or would go.
// News of what a press did may be here before the answer to it; until then the card stays as it is.
export function keepTroubles(fresh) {
  for (const card of document.querySelectorAll('#cards .card:is([data-pressed], :has(> .problem:not([hidden])))')) {
    const next = fresh.getElementById(card.id);
    if (!next) fresh.append(card);
    else if ('pressed' in card.dataset) next.replaceWith(card);
    else next.querySelector('.problem').replaceWith(card.querySelector('.problem'));
  }
}

// For what acts once by itself: every press is a call of its own.
export function fresh() {
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
}

// What is sent arrives although the page is left; browsers take no more than 64 KB for that, and a character has up to three bytes.
const KEPT_ALIVE = 20_000;

export async function post(path, body, key) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  try {
    const keepalive = body.length < KEPT_ALIVE;
    const answer = await fetch(path, { method: 'POST', headers, body, keepalive });
    const told = await answer.json();
    if (answer.status === 401) location.assign('/');
    const message = [told.error?.message, told.error?.hint].filter(Boolean).join('; ');
    return { ok: told.ok, data: told.data, code: told.error?.code, message, plain: told.error?.message };
  } catch {
    const message = 'hq cannot be reached just now; try again in a moment';
    return { ok: false, message, plain: message, unreached: true };
  }
}
