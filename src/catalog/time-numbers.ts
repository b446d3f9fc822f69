// Dates and times that are compared with a number such as 20240101: the engine reads it as seconds or days since 1970.
import { createCursor, type Cursor } from '../sql/cursor.ts';
import type { Analysis, RuleFinding } from './analysis.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';
import { overVariants } from './variant-findings.ts';
import { isDateTime, plainTypeOf } from '../sql/types/traits.ts';

const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '<=', '>', '>=']);
/** A date as digits, alone or with a time. */
const DIGITS = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{6})?$/;

/** Warnings about times that the engine accepts such a number for. */
export function findTimeNumbers(
  analysis: Analysis,
  columns: TablesOnEngine['columns'],
): readonly RuleFinding[] {
  return overVariants(analysis, (variant) => {
    const query = createCursor(variant.bound.sql, variant.bound.tokens);
    const times = timeColumns(query, columns);
    return query.tokens.flatMap((_, at): RuleFinding[] => {
      const number = query.text(at);
      if (query.kind(at) !== 'number' || !DIGITS.test(number)) return [];
      const before = COMPARISONS.has(query.kind(at - 1)) ? columnEndingAt(query, at - 2) : undefined;
      const after = COMPARISONS.has(query.kind(at + 1)) ? { name: query.name(at + 2), start: at } : undefined;
      const column = before ?? after;
      if (column?.name === undefined || !times.has(column.name)) return [];
      const [year, month, day] = [number.slice(0, 4), number.slice(4, 6), number.slice(6, 8)];
      return [
        {
          code: 'lint.time_as_number',
          severity: 'warning',
          ...variant.inBound(query.start(column.start)),
          message: `${number} is compared with ${column.name} as seconds since 1970, and not as a date`,
          hint: `Write '${year}-${month}-${day}'`,
        },
      ];
    });
  });
}

/** `column` or `table.column`, whose last token this is. */
function columnEndingAt(query: Cursor, at: number): { readonly name: string | undefined; readonly start: number } {
  let start = at;
  while (query.kind(start - 1) === '.' && query.name(start - 2) !== undefined) start -= 2;
  return { name: query.name(at), start };
} // prettier-ignore

/** The columns of times of the tables that a query names; without those that are of another type in one of the tables. */
function timeColumns(query: Cursor, columns: TablesOnEngine['columns']): ReadonlySet<string> {
  const names = new Set(query.tokens.map((_, at) => `${query.name(at)}.${query.name(at + 2)}`));
  const read = [...columns].filter(([table]) => names.has(table)).flatMap(([, all]) => [...all]);
  const others = new Set(read.filter(([, type]) => !isTime(type)).map(([name]) => name));
  return new Set(read.flatMap(([name, type]) => (isTime(type) && !others.has(name) ? [name] : [])));
}

function isTime(type: string): boolean {
  return isDateTime(plainTypeOf(type));
}
