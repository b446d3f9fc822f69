// Moments in words, in UTC.

/** `21 Nov 2026, 07:05:30`; the time of day only where it is not midnight, seconds only where there are any. */
export function timeWords(seconds: number): string {
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

/** The words below an axis whose ticks are `step` seconds apart: days by name, times of day with the day where it begins. */
export function tickOf(step: number): (seconds: number, index: number) => string {
  return (seconds, index) => {
    const time = new Date(seconds * 1000);
    const day = time.toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
    if (step >= 86_400) return day;
    const clock = time.toISOString().slice(11, step < 60 ? 19 : 16);
    return index === 0 || clock.startsWith('00:00') ? `${clock}\n${day}` : clock;
  };
}
