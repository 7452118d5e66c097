// What is asked for again while it is under way is done once more afterwards: two answers never overtake each other, and
// the last one drawn is of the last thing that happened.
export function inTurn(work) {
  let running = Promise.resolve();
  let waiting = null;
  const go = () => {
    waiting = null;
    running = work();
    return running;
  };
  return () => waiting ??= running.then(go, go);
}
