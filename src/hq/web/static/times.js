// The server says times in UTC; the page says them where the reader is.
export function localTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const today = at.toDateString() === new Date().toDateString();
    const how = today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' };
    time.textContent = new Intl.DateTimeFormat(undefined, how).format(at);
    time.title = at.toLocaleString();
  }
}
