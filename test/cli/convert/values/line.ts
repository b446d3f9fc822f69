// A line of the files with values of other systems' SQL.

/** A query and its rows, or an expression and its value, as the system returns them. `npm run generate -- --expected` fills them in. */
export interface ValueLine {
  readonly sql?: string;
  readonly rows?: readonly (readonly unknown[])[];
  readonly value?: string;
  readonly is?: unknown;
  /** The real system, or the section of its documentation. */
  readonly source: string;
  /** A query for PostgreSQL with the same rows, for systems that cannot be run here. */
  readonly same_as?: string;
  /** Why it is not converted, or may differ. */
  readonly rejected?: string;
  /** Why the system rejects it: it is rejected, or rejected by ClickHouse when it runs. */
  readonly fails?: string;
}

export function linesOf(text: string): readonly ValueLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ValueLine); // the files are lists of such lines
}

/** The query of a line. */
export const textOf = ({ sql, value }: ValueLine): string => sql ?? `SELECT ${value} AS x`;

/** Whether the order of the rows is part of the value: ORDER BY outside parentheses. */
export function isOrdered(text: string): boolean {
  return /ORDER\s+BY(?![^(]*\))/i.test(text);
}
