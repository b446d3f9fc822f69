// Rates as people write them in tokens and endpoint files.

/** So many calls in a window of so many seconds. */
export interface Rate {
  readonly limit: number;
  readonly window: number;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** The rate of `600/min`; the schemas have checked the form before. */
export function parseRate(text: string): Rate {
  const [limit = '', unit = ''] = text.split('/');
  return { limit: Number(limit), window: SECONDS[unit] ?? 1 };
}
