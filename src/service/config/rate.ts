// Parses rates in tokens and endpoint files.

/** `limit` calls per `window` seconds. */
export interface Rate {
  readonly limit: number;
  readonly window: number;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** The rate of a string such as `600/min`; the format has already been checked by the schema. */
export function parseRate(text: string): Rate {
  const [limit = '', unit = ''] = text.split('/');
  return { limit: Number(limit), window: SECONDS[unit] ?? 1 };
}
