// The dialects of consumer SQL that the page offers, with their names.

export const DIALECT_NAMES = { clickhouse: 'ClickHouse', bigquery: 'BigQuery' } as const;

export type Dialect = keyof typeof DIALECT_NAMES;

/** Returns whether the text is one of them. */
export function isDialect(text: string): text is Dialect {
  return Object.hasOwn(DIALECT_NAMES, text);
}

/** The name of a dialect; the text itself if there is none. */
export function dialectName(text: string): string {
  return isDialect(text) ? DIALECT_NAMES[text] : text;
}
