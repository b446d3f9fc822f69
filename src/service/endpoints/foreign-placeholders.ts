// Parameters written as in other tools: {{x}}, {x}, ${x}, $x, :x, %(x)s, %s, ?, '@x', and @x where a table's name is expected;
// and their templates: {% if x %}, {{ ref('x') }}.
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import { createCursor, type Cursor } from '../../sql/clickhouse/cursor.ts';
import type { TokenKind } from '../../sql/clickhouse/lexer.ts';
import { KEYWORDS } from '../../sql/clickhouse/tree/keywords.ts';
import { plainSpaces } from '../../sql/clickhouse/white-space.ts';

/** A parameter that is not written as one, or a template; the start is in the author's query. */
export interface ForeignPlaceholder {
  /** `quoted`: a string that is nothing else, which the engine reads as the text itself. */
  readonly kind: 'value' | 'quoted' | 'expression' | 'block';
  readonly start: number;
  readonly written: string;
  /** Undefined for a placeholder without a name. */
  readonly name: string | undefined;
}

/** Tokens after which a value begins, so that `:x` is no second half of `a ? b :x` or of `{'a':x}`. */
const BEFORE_VALUE: ReadonlySet<TokenKind | undefined> = new Set<TokenKind | undefined>([
  '(', ',', '=', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '||', '[',
]); // prettier-ignore
/** All of them, in order. */
export function foreignPlaceholders(sql: string): readonly ForeignPlaceholder[] {
  const query = createCursor(sql);
  const found: ForeignPlaceholder[] = [];
  for (let index = 0; index < query.length; index++) {
    const length = placeholderLength(query, index);
    if (length === 0) continue;
    const written = plainSpaces(query.slice(index, index + length));
    // The rest of a block is reported with its first part.
    if (!/^\{%-?\s*(end|else|elif)/.test(written))
      found.push({ ...describe(written), start: query.start(index), written });
    index += length - 1;
  }
  return found;
}

function describe(written: string): Pick<ForeignPlaceholder, 'kind' | 'name'> {
  const isNamed = written !== '%s' && written !== '%d';
  const name = isNamed ? /[A-Za-z_]\w*/.exec(written)?.[0] : undefined;
  if (written.startsWith("'")) return { kind: 'quoted', name };
  if (written.startsWith('{%')) return { kind: 'block', name: /\bif\s+(\w+)/.exec(written)?.[1] };
  const isExpression = written.startsWith('{{') && !/^\{\{-?\s*\w+\s*(\||-?\}\})/.test(written);
  return isExpression ? { kind: 'expression', name: undefined } : { kind: 'value', name };
}

const QUOTED = /^'%?(\{\{\s*[a-z_]\w*\s*\}\}|\$\{[a-z_]\w*\})%?'$/i;

/** The number of tokens of a placeholder that begins here; 0 if none does. */
function placeholderLength(query: Cursor, at: number): number {
  const [kind, next] = [query.kind(at), query.kind(at + 1)];
  if (kind === '{' && (next === '{' || next === '%')) return templateLength(query, at);
  if (/^\$\w+$/.test(query.text(at)) || QUOTED.test(plainSpaces(query.text(at)))) return 1;
  if (query.text(at) === '$' && next === '{' && query.kind(at + 3) === '}') return 4;
  if (!startsValue(query, at)) return 0;
  if (kind === '{' && next === 'word' && query.kind(at + 2) === '}') return 3;
  const isAdjacent = query.end(at) === query.start(at + 1);
  if (kind === ':' && isAdjacent && next === 'word') return 2;
  if (kind === '%' && next === '(' && /^[sd]$/.test(query.text(at + 4))) return 5;
  if (kind === '%' && isAdjacent && /^[sd]$/.test(query.text(at + 1))) return 2;
  return kind === '?' && endsValue(query, at + 1) ? 1 : 0;
}

/** From `{{` to `}}`, or from `{%` to `%}`; only the beginning if it has no end. */
function templateLength(query: Cursor, at: number): number {
  const last = query.kind(at + 1) === '{' ? '}' : '%';
  for (let index = at + 2; index < query.length; index++)
    if (query.kind(index) === last && query.kind(index + 1) === '}') return index + 2 - at;
  return 2;
}

function startsValue(query: Cursor, at: number): boolean {
  return BEFORE_VALUE.has(query.kind(at - 1)) || isKeyword(query.word(at - 1));
}

function isKeyword(word: string | undefined): boolean {
  return word === 'NOT' || word === 'INTERVAL' || word === 'SETTINGS' || KEYWORDS.has(word ?? '');
}

function endsValue(query: Cursor, at: number): boolean {
  const kind = query.kind(at);
  return kind === undefined || kind === ')' || kind === ',' || isKeyword(query.word(at));
}

/** What is wrong, and how it is written here. */
export function explainPlaceholder(
  { kind, written, name }: ForeignPlaceholder,
  declared: Iterable<string>,
): { readonly message: string; readonly hint: string } {
  const shown = written.slice(0, 80);
  if (kind === 'value' || kind === 'quoted')
    return {
      message: `${shown} is a parameter of another tool: here it is written @name${kind === 'quoted' ? ', without quotes' : ''}`,
      hint: placeholderHint(name, declared),
    };
  return {
    message: `${shown} is a template of another tool, and is not evaluated here`,
    hint:
      kind === 'expression'
        ? 'Write a table as database.table, and a value that callers send as @name'
        : `Write an optional part: /* if @${name ?? 'name'} */ AND column = @${name ?? 'name'} /* end */`,
  };
}

function placeholderHint(name: string | undefined, declared: Iterable<string>): string {
  const names = [...declared];
  if (name === undefined) return 'Write @name, and declare the parameter under parameters';
  if (names.includes(name)) return `Write @${name}`;
  const guess = nearest(name, names);
  return didYouMean(guess && `@${guess}`) ?? `Write @${name}, and declare ${name} under parameters`;
}

/** A declared parameter inside a string literal, which is not replaced. */
export interface QuotedParameter {
  readonly start: number;
  readonly name: string;
  /** The expression that is meant: `concat('%', @x)`. */
  readonly meant: string;
}

/** The first in each string. An @ after a letter, as in an address, is none. */
export function quotedParameters(sql: string, declared: ReadonlySet<string>): readonly QuotedParameter[] {
  const query = createCursor(sql);
  return query.tokens.flatMap((token, index): readonly QuotedParameter[] => {
    if (token.kind !== 'string') return [];
    const inner = query.text(index).slice(1, -1);
    for (const match of inner.matchAll(/(?<![\w@.])@([A-Za-z_]\w*)/g)) {
      const name = match[1] ?? '';
      if (!declared.has(name)) continue;
      const [before, after] = [inner.slice(0, match.index), inner.slice(match.index + match[0].length)];
      const parts = [before && `'${before}'`, `@${name}`, after && `'${after}'`].filter(
        (part) => part !== '',
      );
      const meant = parts.length === 1 ? `@${name}` : `concat(${parts.join(', ')})`;
      return [{ start: token.start, name, meant }];
    }
    return [];
  });
}
