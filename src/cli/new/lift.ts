// Replaces literals in a query's conditions with parameters: `project = 'abc'` becomes `project = @project`.
import type { Parameter } from '../../config/generated/endpoint.ts';
import { isSignificant, tokenize, type Token } from '../../sql/lexer.ts';
import { identifierName } from '../../sql/literal.ts';

export interface Lifted {
  /** The query with @name in place of the literals. */
  readonly query: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** The literals as parameter values of an example. */
  readonly example: Readonly<Record<string, string | number | (string | number)[]>>;
}

interface Draft {
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

/** Also replaces ClickHouse's own placeholders, `{name:Type}`. `sql` must tokenize without errors. */
export function liftLiterals(sql: string): Lifted {
  const tokens = tokenize(sql).filter(isSignificant);
  const draft: Draft = { parameters: {}, example: {}, edits: [] };
  let isCondition = false;
  for (let index = 0; index < tokens.length; index++) {
    const word = wordAt(sql, tokens, index);
    if (word !== undefined && CONDITIONS.has(word)) isCondition = true;
    if (word !== undefined && ENDS.has(word)) isCondition = false;
    if (tokens[index]?.kind === '{') liftPlaceholder(sql, tokens, index, draft);
    else if (isCondition) liftComparison(sql, tokens, index, draft);
  }
  let query = '';
  let copied = 0;
  for (const { start, end, text } of draft.edits) {
    query += sql.slice(copied, start) + text;
    copied = end;
  }
  return { query: query + sql.slice(copied), parameters: draft.parameters, example: draft.example };
}

/** `{name:Type}`: takes the name and the type from it. */
function liftPlaceholder(sql: string, tokens: readonly Token[], index: number, draft: Draft): void {
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
  const [, inner] = /^Nullable\((.*)\)$/s.exec(declared) ?? [];
  draft.parameters[text] ??= { type: inner ?? declared, required: inner === undefined };
  draft.edits.push({ start: open.start, end: end.end, text: `@${text}` });
}

/** A column or path, then a comparison, LIKE or IN, then a literal or a list of literals. */
function liftComparison(sql: string, tokens: readonly Token[], index: number, draft: Draft): void {
  const column = columnBefore(sql, tokens, index);
  if (column === undefined) return;
  const sign = sql.slice(tokens[index]?.start, tokens[index]?.end).toUpperCase();
  if (COMPARISONS.has(sign) || sign === 'LIKE' || sign === 'ILIKE') {
    const literal = literalAt(sql, tokens, index + 1);
    if (literal === undefined || isOperator(tokens[literal.next])) return;
    const name = nameFor(column, sign);
    lift(draft, { name, value: literal.value, start: literal.start, end: literal.end });
  } else if (sign === 'IN' && tokens[index + 1]?.kind === '(') {
    const list = listAt(sql, tokens, index + 1);
    if (list !== undefined) lift(draft, { name: `${nameFor(column, '=')}s`, ...list });
  }
}

interface Literal {
  readonly value: string | number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

function literalAt(sql: string, tokens: readonly Token[], index: number): Literal | undefined {
  const minus = tokens[index]?.kind === '-' ? 1 : 0;
  const token = tokens[index + minus];
  const start = tokens[index]?.start;
  if (token === undefined || start === undefined) return undefined;
  const text = sql.slice(token.start, token.end);
  const at = { start, end: token.end, next: index + minus + 1 };
  if (token.kind === 'number' && /^[\d.]+$/.test(text))
    return { value: Number(sql.slice(start, token.end).replace(/\s/g, '')), ...at };
  if (token.kind !== 'string' || minus === 1 || !/^'(?:[^'\\]|'')*'$/.test(text)) return undefined;
  return { value: text.slice(1, -1).replaceAll("''", "'"), ...at };
}

function listAt(
  sql: string,
  tokens: readonly Token[],
  open: number,
): { readonly value: (string | number)[]; readonly start: number; readonly end: number } | undefined {
  const value: (string | number)[] = [];
  for (let at = open + 1; ;) {
    const literal = literalAt(sql, tokens, at);
    if (literal === undefined) return undefined;
    value.push(literal.value);
    const after = tokens[literal.next];
    if (after?.kind === ')') return { value, start: tokens[open]?.start ?? 0, end: after.end };
    if (after?.kind !== ',') return undefined;
    at = literal.next + 1;
  }
}

/** An operator that makes the literal part of an expression. */
function isOperator(token: Token | undefined): boolean {
  return token !== undefined && ['+', '-', '*', '/', '%', '||', '::', '.', '['].includes(token.kind);
}

function columnBefore(sql: string, tokens: readonly Token[], index: number): string | undefined {
  const before = wordAt(sql, tokens, index - 1) === 'NOT' ? index - 2 : index - 1;
  const token = tokens[before];
  if (token?.kind !== 'word' && token?.kind !== 'quoted') return undefined;
  return identifierName(sql.slice(token.start, token.end));
}

function nameFor(column: string, sign: string): string {
  const plain =
    column
      .replace(/[^A-Za-z0-9_]/g, '_')
      .replace(/^(?=\d)/, '_')
      .slice(0, 50) || 'value';
  if (LOWER.has(sign)) return `${plain}_from`;
  return UPPER.has(sign) ? `${plain}_to` : plain;
}

function lift(
  { parameters, example, edits }: Draft,
  found: {
    readonly name: string;
    readonly value: string | number | (string | number)[];
    readonly start: number;
    readonly end: number;
  },
): void {
  const type = typeOf(found.value);
  let name = found.name;
  for (let n = 2; parameters[name] !== undefined && !isSame(name); n++) name = `${found.name}_${n}`;
  parameters[name] ??= { type, required: true };
  example[name] = found.value;
  edits.push({ start: found.start, end: found.end, text: `@${name}` });

  function isSame(known: string): boolean {
    return JSON.stringify(example[known]) === JSON.stringify(found.value);
  }
}

function typeOf(value: string | number | readonly (string | number)[]): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'Int64' : 'Float64';
  if (typeof value !== 'string')
    return `Array(${value.every((each) => typeof each === 'number') ? 'Int64' : 'String'})`;
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return 'Date';
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.test(value)
    ? 'DateTime64(3)'
    : 'String';
}

function wordAt(sql: string, tokens: readonly Token[], index: number): string | undefined {
  const token = tokens[index];
  return token?.kind === 'word' ? sql.slice(token.start, token.end).toUpperCase() : undefined;
}
