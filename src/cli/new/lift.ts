// Replaces literals in a query's conditions with parameters: `project = 'abc'` becomes `project = @project`.
import type { Parameter } from '../../config/generated/endpoint.ts';
import { createCursor, type Cursor } from '../../sql/cursor.ts';
import type { Token } from '../../sql/lexer.ts';
import { innerType, parseType, printType } from '../../sql/types/type.ts';

export interface Lifted {
  /** The query with @name in place of the literals. */
  readonly query: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** The literals as parameter values of an example. */
  readonly example: Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;
}

interface Draft {
  /** Names of other parameters. */
  readonly taken: ReadonlySet<string>;
  readonly parameters: Record<string, Parameter>;
  readonly example: Record<string, string | number | (string | number)[]>;
  /** The replacements, in order. */
  readonly edits: { readonly start: number; readonly end: number; readonly text: string }[];
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '==', '!=', '<>', '<', '<=', '>', '>=']);
const LOWER: ReadonlySet<string> = new Set(['>', '>=']);
const UPPER: ReadonlySet<string> = new Set(['<', '<=']);
const CONDITIONS: ReadonlySet<string> = new Set(['WHERE', 'PREWHERE', 'HAVING', 'ON']);
const ENDS: ReadonlySet<string> = new Set([
  'SELECT',
  'FROM',
  'GROUP',
  'ORDER',
  'LIMIT',
  'UNION',
  'SETTINGS',
  'FORMAT',
  'WINDOW',
]);

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** Parameters of every request, as in `schemas/endpoint.schema.json`. */
const RESERVED = /^(sql|lql|format|dialect)$/;

/** Also replaces ClickHouse's own placeholders, `{name:Type}`. `sql` must tokenize without errors; it may have parameters of its own. */
export function liftLiterals(sql: string, taken: ReadonlySet<string> = new Set()): Lifted {
  const query = createCursor(sql);
  const draft: Draft = { taken, parameters: {}, example: {}, edits: [] };
  let isCondition = false;
  for (let index = 0; index < query.length; index++) {
    const word = query.word(index);
    if (word !== undefined && CONDITIONS.has(word)) isCondition = true;
    if (word !== undefined && ENDS.has(word)) isCondition = false;
    if (query.kind(index) === '{') liftPlaceholder(query, index, draft);
    else if (isCondition) liftComparison(query, index, draft);
  }
  let lifted = '';
  let copied = 0;
  for (const { start, end, text } of draft.edits) {
    lifted += sql.slice(copied, start) + text;
    copied = end;
  }
  return { query: lifted + sql.slice(copied), parameters: draft.parameters, example: draft.example };
}

/** `{name:Type}`: takes the name and the type from it. */
function liftPlaceholder({ sql, tokens }: Cursor, index: number, draft: Draft): void {
  const close = tokens.findIndex((token, at) => at > index && token.kind === '}');
  const [open, name, colon, type, end] = [
    tokens[index],
    tokens[index + 1],
    tokens[index + 2],
    tokens[index + 3],
    tokens[close],
  ];
  if (
    open === undefined ||
    name?.kind !== 'word' ||
    colon?.kind !== ':' ||
    type === undefined ||
    end === undefined
  )
    return;
  const text = sql.slice(name.start, name.end);
  const declared = sql.slice(type.start, end.start).trim();
  const parsed = parseType(declared);
  const isOptional = parsed.name === 'Nullable';
  draft.parameters[text] ??= {
    type: isOptional ? printType(innerType(parsed)) : declared,
    required: !isOptional,
  };
  draft.edits.push({ start: open.start, end: end.end, text: `@${text}` });
}

/** A column or path, then a comparison, LIKE or IN, then a literal or a list of literals. */
function liftComparison(query: Cursor, index: number, draft: Draft): void {
  const lowered = loweredBefore(query, index);
  const column = lowered ?? columnBefore(query, index);
  if (column === undefined) return;
  const operator = query.text(index).toUpperCase();
  if (COMPARISONS.has(operator) || operator === 'LIKE' || operator === 'ILIKE') {
    const literal = literalAt(query, index + 1);
    if (literal === undefined || isOperator(query.tokens[literal.next])) return;
    const name = nameFor(column, operator);
    lift(draft, { name, ...literal, ...(lowered === undefined ? {} : { call: 'lowerUTF8' }) });
  } else if (lowered !== undefined) {
    return;
  } else if (operator === 'BETWEEN') {
    liftBetween(query, index, { column, draft });
  } else if (operator === 'IN' && query.kind(index + 1) === '(') {
    const list = listAt(query, index + 1);
    if (list !== undefined) lift(draft, { name: pluralOf(nameFor(column, '=')), ...list });
  }
}

interface Place {
  readonly column: string;
  readonly draft: Draft;
}

/** `BETWEEN a AND b`: both literals, or none. */
function liftBetween(query: Cursor, index: number, { column, draft }: Place): void {
  const low = literalAt(query, index + 1);
  if (low === undefined || query.word(low.next) !== 'AND') return;
  const high = literalAt(query, low.next + 1);
  if (high === undefined || isOperator(query.tokens[high.next])) return;
  lift(draft, { name: nameFor(column, '>='), ...low });
  lift(draft, { name: nameFor(column, '<='), ...high });
}

interface Literal {
  readonly value: string | number;
  /** The type that is written; undefined: that of the value. */
  readonly type?: string;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** `toDate('…')` and `toDate32('…')`, and `toDateTime64('…', 3, 'UTC')`: times in other zones remain in the query. */
function timeAt(query: Cursor, index: number): Literal | undefined {
  const type = /^TO(DATE|DATE32|DATETIME|DATETIME64)$/.exec(query.word(index) ?? '')?.[1];
  const text = query.kind(index + 2) === 'string' ? query.text(index + 2).slice(1, -1) : '';
  if (type === undefined || query.kind(index + 1) !== '(') return undefined;
  const isDate = type === 'DATE' || type === 'DATE32';
  if (!(isDate ? DATE : TIME).test(text)) return undefined;
  const isScaled =
    type === 'DATETIME64' && query.kind(index + 3) === ',' && query.kind(index + 4) === 'number';
  const after = index + (isScaled ? 5 : 3);
  const isUtc = query.kind(after) === ',' && query.text(after + 1) === "'UTC'";
  const close = isUtc ? after + 2 : after;
  if (query.kind(close) !== ')' || isUtc === isDate) return undefined;
  const date = type === 'DATE32' ? 'Date32' : 'Date';
  const name = isDate ? date : isScaled ? `DateTime64(${query.text(index + 4)})` : 'DateTime';
  return { value: text, type: name, start: query.start(index), end: query.end(close), next: close + 1 };
}

function literalAt(query: Cursor, index: number): Literal | undefined {
  return timeAt(query, index) ?? plainAt(query, index);
}

function plainAt({ sql, tokens }: Cursor, index: number): Literal | undefined {
  const minus = tokens[index]?.kind === '-' ? 1 : 0;
  const token = tokens[index + minus];
  const start = tokens[index]?.start;
  if (token === undefined || start === undefined) return undefined;
  const text = sql.slice(token.start, token.end);
  const at = { start, end: token.end, next: index + minus + 1 };
  if (token.kind === 'number') {
    const value = Number(sql.slice(start, token.end).replace(/\s/g, ''));
    const isExact = /^[\d.]+$/.test(text) && (text.includes('.') || Number.isSafeInteger(value));
    return isExact ? { value, ...at } : undefined;
  }
  if (token.kind !== 'string' || minus === 1 || !/^'(?:[^'\\]|'')*'$/.test(text)) return undefined;
  return { value: text.slice(1, -1).replaceAll("''", "'"), ...at };
}

function listAt(
  query: Cursor,
  open: number,
): { readonly value: (string | number)[]; readonly start: number; readonly end: number } | undefined {
  const value: (string | number)[] = [];
  for (let at = open + 1; ;) {
    const literal = literalAt(query, at);
    if (literal === undefined) return undefined;
    value.push(literal.value);
    const after = query.tokens[literal.next];
    if (after?.kind === ')') return { value, start: query.start(open), end: after.end };
    if (after?.kind !== ',') return undefined;
    at = literal.next + 1;
  }
}

function pluralOf(name: string): string {
  return name.endsWith('s') ? `${name}es` : `${name}s`;
}

/** An operator that makes the literal part of an expression. */
function isOperator(token: Token | undefined): boolean {
  return token !== undefined && ['+', '-', '*', '/', '%', '||', '::', '.', '['].includes(token.kind);
}

function columnBefore(query: Cursor, index: number): string | undefined {
  return query.name(query.word(index - 1) === 'NOT' ? index - 2 : index - 1);
}

/** `lowerUTF8(column)`: comparisons of dialects that ignore case are converted to it. */
function loweredBefore(query: Cursor, index: number): string | undefined {
  if (query.kind(index - 1) !== ')') return undefined;
  let open = index - 3;
  while (query.kind(open) === '.') open -= 2;
  const isLowered = query.kind(open) === '(' && query.text(open - 1) === 'lowerUTF8';
  return isLowered ? query.name(index - 2) : undefined;
}

function nameFor(column: string, operator: string): string {
  const plain =
    column
      .replace(/[^A-Za-z0-9_]/g, '_')
      .replace(/^(?=\d)/, '_')
      .slice(0, 50)
      .replace(RESERVED, '$1_value') || 'value';
  if (LOWER.has(operator)) return `${plain}_from`;
  return UPPER.has(operator) ? `${plain}_to` : plain;
}

function lift(
  { parameters, example, edits, taken }: Draft,
  found: {
    readonly name: string;
    readonly value: string | number | (string | number)[];
    readonly type?: string;
    /** The function that is applied to the parameter. */
    readonly call?: string;
    readonly start: number;
    readonly end: number;
  },
): void {
  const type = found.type ?? typeOf(found.value);
  let name = found.name;
  for (let n = 2; taken.has(name) || (parameters[name] !== undefined && !isSame(name)); n++)
    name = `${found.name}_${n}`;
  parameters[name] ??= { type, required: true };
  example[name] = found.value;
  const text = found.call === undefined ? `@${name}` : `${found.call}(@${name})`;
  edits.push({ start: found.start, end: found.end, text });

  function isSame(known: string): boolean {
    const isEqual = JSON.stringify(example[known]) === JSON.stringify(found.value);
    return isEqual && parameters[known]?.type === type;
  }
}

function typeOf(value: string | number | readonly (string | number)[]): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'Int64' : 'Float64';
  if (typeof value !== 'string')
    return `Array(${value.every((each) => typeof each === 'number') ? 'Int64' : 'String'})`;
  if (DATE.test(value)) return 'Date';
  return TIME.test(value) ? 'DateTime64(3)' : 'String';
}
