// Formats times for display, in UTC.

/** `21 Nov 2026, 07:05:30`; midnight omits the time of day, and seconds are shown only if not zero. */
export function formatTime(seconds: number): string {
  const time = new Date(seconds * 1000);
  const day = time.toLocaleDateString('en-GB', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  const clock = time.toISOString().slice(11, 19);
  if (clock === '00:00:00') return day;
  return `${day}, ${clock.endsWith(':00') ? clock.slice(0, 5) : clock}`;
}

/** Axis labels for ticks `step` seconds apart: dates for days, otherwise times of day with the date at the start of each day. */
export function formatTicks(step: number): (seconds: number, index: number) => string {
  return (seconds, index) => {
    const time = new Date(seconds * 1000);
    const day = time.toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
    if (step >= 86_400) return day;
    const clock = time.toISOString().slice(11, step < 60 ? 19 : 16);
    return index === 0 || clock.startsWith('00:00') ? `${clock}\n${day}` : clock;
  };
}
