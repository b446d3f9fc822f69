// Which parameters of a query the engine's tree must contain.
import { createCursor, type Cursor } from '../../sql/cursor.ts';
import { outlineQuery } from '../../sql/outline.ts';
import type { WithElement } from '../../sql/outline.ts';
import type { MarkedUse } from './marked-query.ts';

/**
 * The uses of parameters, by number, without those in elements of the WITH clause that nothing names. The engine leaves out
 * what has no effect for the values that it is given, although it may have one for others.
 */
export function neededUses(sql: string, uses: readonly MarkedUse[]): readonly number[] {
  const query = createCursor(sql);
  const { outline } = outlineQuery(sql);
  const elements = outline?.elements ?? [];
  const main: Part = { start: outline?.mainStart ?? 0, end: sql.length };
  const needed = new Set(elements.filter((element) => hasLambda(query, element)));
  const parts: Part[] = [main, ...needed];
  for (const part of parts) {
    for (const element of elements) {
      if (needed.has(element) || !isNamed(query, part, element)) continue;
      needed.add(element);
      parts.push(element); // visited later
    }
  }
  return uses.flatMap(({ start, end }, index) =>
    parts.some((part) => start >= part.start && end <= part.end) ? [index] : [],
  );
}

interface Part {
  readonly start: number;
  readonly end: number;
}

/** A lambda can have the name of a function that an operator denotes. */
function hasLambda(query: Cursor, { kind, start, end }: WithElement): boolean {
  return kind === 'expression' && /->/.test(query.sql.slice(start, end));
}

/** Whether a part of the query may read an element. */
function isNamed({ tokens, name, kind, ...query }: Cursor, part: Part, element: WithElement): boolean {
  const wanted = element.name.toLowerCase();
  return tokens.some(({ start, end }, at) => {
    if (start < part.start || end > part.end || name(at)?.toLowerCase() !== wanted) return false;
    if (kind(at - 1) === '.') return false;
    return element.kind !== 'table' || (kind(at + 1) !== '.' && isTablePosition({ kind, ...query }, at));
  });
}

/** Whether a table can be named here. */
function isTablePosition({ kind, word }: Pick<Cursor, 'kind' | 'word'>, at: number): boolean {
  if (kind(at - 1) !== ',') return kind(at - 1) === '(' || TABLE_COMES_AFTER.has(word(at - 1) ?? '');
  let depth = 0;
  for (let before = at - 2; before >= 0 && depth >= 0; before--) {
    const token = kind(before) ?? '';
    if (')]}'.includes(token)) depth++;
    else if ('([{'.includes(token)) depth--;
    else if (depth === 0 && TABLE_COMES_AFTER.has(word(before) ?? '')) return true;
    else if (depth === 0 && NO_TABLE_AFTER.has(word(before) ?? '')) return false;
  }
  return false;
}

const TABLE_COMES_AFTER: ReadonlySet<string> = new Set(['FROM', 'JOIN', 'IN']);
const NO_TABLE_AFTER: ReadonlySet<string> = new Set(['SELECT', 'BY', 'WITH', 'USING', 'SETTINGS']);
