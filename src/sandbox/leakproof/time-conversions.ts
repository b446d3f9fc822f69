// Conversions of dates and times to DateTime64: they always succeed for a column of dates or times, but may fail for a string.
// Conversions to types of a smaller range wrap around and mislead the engine's index analysis.
import type { Cursor } from '../../sql/cursor.ts';
import { identifierName } from '../../sql/literal.ts';

/** What is known about the tables that a query reads. */
export interface MomentContext {
  readonly tables: ReadonlySet<string>;
  readonly types: ReadonlyMap<string, readonly string[]>;
}

/** Which tokens are conversions of times that cannot fail. */
export interface Moments {
  /** Whether the call at this token converts a date or time into another. */
  isMoment(at: number): boolean;
  /** Whether the name ending at this token is a column of the tables, of this type in every table, and not an alias. */
  isColumnOf(last: number, type: RegExp): boolean;
}

const MOMENT_TYPE = /^(?:Nullable\()?(?:Date|Date32|DateTime|DateTime64)\b/;
const CONVERSIONS = /^(?:toDateTime64|cast)$/i;
const TARGETS: ReadonlySet<string | undefined> = new Set(['DATETIME64']);

/** With more digits, a time in the year 2299 is out of range. */
const MAX_DIGITS = 6;

/** Answers for one query; memoizes by name. */
export function createMoments(cursor: Cursor, { tables, types }: MomentContext): Moments {
  const isMomentColumn = (name: string): boolean =>
    types.get(name)?.every((type) => MOMENT_TYPE.test(type)) ?? false;
  const nameAt = (at: number): string | undefined => cursor.name(at);
  let allSites: ReturnType<typeof sitesByName> | undefined; // most queries need none
  const sites = (name: string): readonly number[] =>
    (allSites ??= sitesByName(cursor.length, nameAt)).get(name) ?? [];

  /** The index after `column`, `table.column` or a nested conversion of one; undefined for anything else. */
  function afterSource(at: number): number | undefined {
    if (cursor.kind(at + 1) === '(') return isMoment(at) ? cursor.closing(at + 1) + 1 : undefined;
    const name = nameAt(at);
    if (name === undefined) return undefined;
    if (cursor.kind(at + 1) !== '.') return isMomentColumn(name) && isOwnName(name) ? at + 1 : undefined;
    const column = nameAt(at + 2);
    const isWhole = cursor.kind(at + 3) !== '.';
    return isWhole && column !== undefined && isMomentColumn(column) && isTable(name) ? at + 3 : undefined;
  }

  /** Whether every alias of that name is for a conversion of the column itself. */
  const isOwnName = remembered((name) =>
    sites(name).every((at) => isUse(cursor, at) || isSelfConversion(name, at)),
  );

  function isSelfConversion(name: string, at: number): boolean {
    const close = cursor.word(at - 1) === 'AS' ? at - 2 : at - 1;
    if (cursor.kind(close) !== ')') return false;
    for (let open = close - 1; open > 0; open--) {
      if (cursor.kind(open) !== '(' || cursor.closing(open) !== close) continue;
      const inner = nameAt(open + 1);
      const isPlain = inner === name && cursor.kind(open + 2) !== '.' && cursor.kind(open + 2) !== '(';
      return isPlain && hasForm(cursor, open - 1, open + 2);
    }
    return false;
  }

  /** A table of the endpoint, or an alias of one and of nothing else. */
  const isTable = remembered((name) => {
    if (types.has(name)) return false;
    return sites(name).every((at) => {
      if (cursor.kind(at + 1) === '.') return true;
      if (tables.has(name)) return ['FROM', 'JOIN'].includes(cursor.word(at - 1) ?? '');
      const named = cursor.word(at - 1) === 'AS' ? at - 2 : at - 1;
      return tables.has(nameAt(named) ?? '') && ['FROM', 'JOIN'].includes(cursor.word(named - 1) ?? '');
    });
  });

  function isColumnOf(last: number, type: RegExp): boolean {
    const column = nameAt(last);
    const known = column === undefined ? undefined : types.get(column);
    if (column === undefined || known?.every((each) => type.test(each)) !== true) return false;
    if (cursor.kind(last - 1) !== '.') return cursor.kind(last + 1) !== '.' && isOwnName(column);
    const table = nameAt(last - 2);
    return table !== undefined && cursor.kind(last - 3) !== '.' && isTable(table);
  }

  function isMoment(call: number): boolean {
    if (cursor.kind(call + 1) !== '(' || !CONVERSIONS.test(nameAt(call) ?? '')) return false;
    if (mayBeNull && /^cast$/i.test(nameAt(call) ?? '')) return false;
    const at = afterSource(call + 2);
    return at !== undefined && hasForm(cursor, call, at);
  }
  const isNamed = !hasLambdas(cursor);
  // `CAST(x AS DateTime64(3))` fails for NULL.
  const mayBeNull = [...types.values()].flat().some((type) => type.startsWith('Nullable(Date'));
  return {
    isMoment: (at) => isNamed && isMoment(at),
    isColumnOf: (last, type) => isNamed && isColumnOf(last, type),
  };
}

/** A lambda's argument may have any name. */
function hasLambdas(cursor: Cursor): boolean {
  return cursor.tokens.some(({ kind }) => kind === '->');
}

/** `(… AS Type)` or `(…, literals)` of the conversion at `call`, its source read up to `at`. */
function hasForm(cursor: Cursor, call: number, at: number): boolean {
  const name = identifierName(cursor.text(call)) ?? '';
  if (!CONVERSIONS.test(name)) return false;
  const end = cursor.closing(call + 1);
  if (cursor.word(at) === 'AS') return TARGETS.has(cursor.word(at + 1)) && isShort(cursor, at + 2, end);
  return !/^cast$/i.test(name) && isShort(cursor, at, end);
}

/** Token indexes of each name. */
function sitesByName(
  length: number,
  nameAt: (at: number) => string | undefined,
): ReadonlyMap<string, readonly number[]> {
  const sites = new Map<string, number[]>();
  for (let at = 0; at < length; at++) {
    const name = nameAt(at);
    if (name === undefined) continue;
    const known = sites.get(name);
    if (known === undefined) sites.set(name, [at]);
    else known.push(at);
  }
  return sites;
}

/** Memoizes by name: long queries use a column thousands of times. */
function remembered(compute: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const verdict = known.get(name) ?? compute(name);
    known.set(name, verdict);
    return verdict;
  };
}

/** Only parentheses, commas, time zones and small numbers of digits. */
function isShort(cursor: Cursor, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const kind = cursor.kind(at);
    if (kind === '(' || kind === ')' || kind === ',' || kind === 'string') continue;
    if (kind !== 'number' || !(Number(cursor.text(at)) <= MAX_DIGITS)) return false;
  }
  return true;
}

const BEFORE_VALUES: ReadonlySet<string | undefined> = new Set(
  'SELECT DISTINCT WHERE PREWHERE HAVING QUALIFY AND OR NOT BY ON BETWEEN CASE WHEN THEN ELSE IN LIKE ILIKE'.split(
    ' ',
  ),
);
const BEFORE_VALUE_KINDS: ReadonlySet<string | undefined> = new Set(
  '( [ , . + - * / = != < > <= >= <=> || ? :'.split(' '),
);

/** Whether the name at `at` is only read there; any other use may define it. */
function isUse(cursor: Cursor, at: number): boolean {
  return BEFORE_VALUE_KINDS.has(cursor.kind(at - 1)) || BEFORE_VALUES.has(cursor.word(at - 1));
}
