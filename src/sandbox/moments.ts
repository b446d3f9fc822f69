// Conversions of dates and times to DateTime64: of a column that holds dates or times they always succeed, of a string they
// may not. Conversions to types of a smaller range wrap, and mislead the engine's index analysis.
import type { Cursor } from '../sql/cursor.ts';
import { identifierName } from '../sql/literal.ts';

/** What is known of the tables that a query reads. */
export interface MomentContext {
  readonly tables: ReadonlySet<string>;
  readonly types: ReadonlyMap<string, readonly string[]>;
}

export interface Moments {
  /** Whether the call at this token converts a date or time into another. */
  isMoment(at: number): boolean;
}

const MOMENT_TYPE = /^(?:Nullable\()?(?:Date|Date32|DateTime|DateTime64)\b/;
const CONVERSIONS = /^(?:toDateTime64|cast)$/i;
const TARGETS: ReadonlySet<string | undefined> = new Set(['DATETIME64']);

/** More digits than this and a time of the year 2299 is out of range. */
const MAX_DIGITS = 6;

export function createMoments(cursor: Cursor, { tables, types }: MomentContext): Moments {
  const isMomentColumn = (name: string): boolean =>
    types.get(name)?.every((type) => MOMENT_TYPE.test(type)) ?? false;
  const nameAt = (at: number): string | undefined => {
    const kind = cursor.kind(at);
    return kind === 'word' || kind === 'quoted' ? identifierName(cursor.text(at)) : undefined;
  };
  const sites = (name: string): readonly number[] =>
    Array.from({ length: cursor.length }, (_, at) => at).filter((at) => nameAt(at) === name);

  /** The index after `column`, `table.column` or another conversion of one; undefined for anything else. */
  function afterSource(at: number): number | undefined {
    if (cursor.kind(at + 1) === '(') return isMoment(at) ? cursor.closing(at + 1) + 1 : undefined;
    const name = nameAt(at);
    if (name === undefined) return undefined;
    if (cursor.kind(at + 1) !== '.') return isMomentColumn(name) && isOwnName(name) ? at + 1 : undefined;
    const column = nameAt(at + 2);
    const isWhole = cursor.kind(at + 3) !== '.';
    return isWhole && column !== undefined && isMomentColumn(column) && isTable(name) ? at + 3 : undefined;
  }

  /** The name stands for the column wherever it is given: as an alias only of a conversion of itself. */
  function isOwnName(name: string): boolean {
    return sites(name).every((at) => isUse(cursor, at) || isSelfConversion(name, at));
  }

  function isSelfConversion(name: string, at: number): boolean {
    const close = cursor.word(at - 1) === 'AS' ? at - 2 : at - 1;
    if (cursor.kind(close) !== ')') return false;
    for (let open = close - 1; open > 0; open--) {
      if (cursor.kind(open) !== '(' || cursor.closing(open) !== close) continue;
      const inner = nameAt(open + 1);
      const isPlain = inner === name && cursor.kind(open + 2) !== '.' && cursor.kind(open + 2) !== '(';
      return isPlain && hasForm(open - 1, open + 2);
    }
    return false;
  }

  /** A table of the endpoint, or an alias of nothing else. */
  function isTable(name: string): boolean {
    if (types.has(name)) return false;
    return sites(name).every((at) => {
      if (cursor.kind(at + 1) === '.') return true;
      if (tables.has(name)) return ['FROM', 'JOIN'].includes(cursor.word(at - 1) ?? '');
      const named = cursor.word(at - 1) === 'AS' ? at - 2 : at - 1;
      return tables.has(nameAt(named) ?? '') && ['FROM', 'JOIN'].includes(cursor.word(named - 1) ?? '');
    });
  }

  /** `(… AS Type)` or `(…, literals)` of the conversion at `call`, its source read up to `at`. */
  function hasForm(call: number, at: number): boolean {
    if (!CONVERSIONS.test(nameAt(call) ?? '')) return false;
    const end = cursor.closing(call + 1);
    if (cursor.word(at) === 'AS') return TARGETS.has(cursor.word(at + 1)) && isShort(cursor, at + 2, end);
    if (/^cast$/i.test(nameAt(call) ?? '')) return false;
    return isShort(cursor, at, end);
  }

  function isMoment(call: number): boolean {
    if (cursor.kind(call + 1) !== '(' || !CONVERSIONS.test(nameAt(call) ?? '')) return false;
    const at = afterSource(call + 2);
    return at !== undefined && hasForm(call, at);
  }
  // A lambda's argument may have any name.
  const hasLambdas = Array.from({ length: cursor.length }, (_, at) => at).some(
    (at) => cursor.kind(at) === '->',
  );
  return { isMoment: (at) => !hasLambdas && isMoment(at) };
}

/** Nothing but brackets, commas, zones and small numbers of digits. */
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

/** Whether the name at `at` is read there; anything else may give it. */
function isUse(cursor: Cursor, at: number): boolean {
  return BEFORE_VALUE_KINDS.has(cursor.kind(at - 1)) || BEFORE_VALUES.has(cursor.word(at - 1));
}
