// Durations such as 30s, 5m, 1h and 7d.

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^([1-9][0-9]{0,5})([smhd])$/;

/** Milliseconds; 0 if there is none. The schema has checked its form. */
export function durationMs(text: string | undefined): number {
  const [, count = '0', unit = 's'] = DURATION.exec(text ?? '') ?? [];
  return Number(count) * (UNITS[unit] ?? 1000);
}

/** Milliseconds as a duration in the largest unit that divides them. */
export function durationText(ms: number): string {
  for (const unit of ['d', 'h', 'm']) {
    const size = UNITS[unit] ?? 1;
    if (ms > 0 && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${Math.round(ms / 1000)}s`;
}
