// Reads the elements of the select list, and aliases of columns and tables.
import { keywordsThat } from './keywords.ts';
import { syntax, unsupported } from '../context.ts';
import type { Item, Name } from '../tree.ts';
import { has, isNameToken, isSymbol, isWord, next, peek, readExpression, readList, readMember, readName, type Source, takeWords } from './source.ts'; // prettier-ignore

type Star = Extract<Item, { kind: 'star' }>;

/** @throws UnconvertedError */
export function readItem(source: Source): Item {
  const star = readStar(source);
  if (star !== undefined) return star;
  const { start: at } = peek(source);
  const value = readExpression(source);
  if (isSymbol(source, '.') && isSymbol(source, '*', 1)) {
    source.at += 2;
    return readStarRest(source, { at, of: value });
  }
  const alias = readAlias(source);
  return { kind: 'value', value, alias };
}

/** `*` and `t.*`. */
function readStar(source: Source): Star | undefined {
  const { start: at } = peek(source);
  const parts: Name[] = [];
  let ahead = 0;
  while (isNameToken(source, ahead) && isSymbol(source, '.', ahead + 1)) {
    parts.push({ name: peek(source, ahead).text, at: peek(source, ahead).start });
    ahead += 2;
  }
  if (!isSymbol(source, '*', ahead)) return undefined;
  source.at += ahead + 1;
  return readStarRest(source, parts.length === 0 ? { at } : { at, of: { kind: 'path', at, parts } });
}

/** The columns that are left out or replaced, each list once. */
function readStarRest(source: Source, star: Pick<Star, 'at' | 'of'>): Star {
  const except: Name[] = [];
  const replace: Star['replace'][number][] = [];
  for (;;) {
    const { start, upper } = peek(source);
    if (isWord(source, 'ILIKE') || isWord(source, 'RENAME'))
      unsupported(start, `${upper} after * is not supported`);
    const isExclusion = isExcept(source);
    if (!isExclusion && !(isWord(source, 'REPLACE') && isSymbol(source, '(', 1))) break;
    if (isExclusion ? except.length > 0 : replace.length > 0) syntax(start, 'This clause is written twice');
    source.at++;
    if (isExclusion)
      except.push(...(isSymbol(source, '(') ? readList(source, () => readName(source)) : [readName(source)]));
    else replace.push(...readReplaced(source));
  }
  return { kind: 'star', ...star, except, replace };
}

/** EXCEPT is also a set operator: a query follows then. */
function isExcept(source: Source): boolean {
  if (isWord(source, 'EXCLUDE')) return has(source, 'standard clauses');
  const isQuery = isWord(source, 'SELECT', 2) || isWord(source, 'WITH', 2) || isSymbol(source, '(', 2);
  return isWord(source, 'EXCEPT') && isSymbol(source, '(', 1) && !isQuery;
}

function readReplaced(source: Source): Star['replace'] {
  return readList(source, () => {
    const value = readExpression(source);
    takeWords(source, 'AS');
    return { value, name: readName(source) };
  });
}

const AFTER_ITEMS: ReadonlySet<string> = new Set([...keywordsThat('items'), ')', ';']);

/** Returns whether the select list has ended: a comma before it is a trailing one. */
export function isAfterItems(source: Source): boolean {
  const { kind, upper } = peek(source);
  return kind === 'end' || (kind !== 'quoted' && AFTER_ITEMS.has(upper));
}

/** BigQuery: the elements of `SELECT AS STRUCT` as one. */
export function structItem(at: number, items: readonly Item[]): Item {
  const fields = items.map((item) => {
    if (item.kind === 'star') return unsupported(item.at, '* in SELECT AS STRUCT is not supported');
    const alias = item.alias ?? (item.value.kind === 'path' ? item.value.parts.at(-1) : undefined);
    return { value: item.value, alias };
  });
  return { kind: 'value', value: { kind: 'struct', at, fields } };
}

/** Words that are no alias if a certain token follows them. */
const UNLESS: Readonly<Record<string, RegExp>> = {
  OFFSET: /^(?:\d|@|:|\()/,
  SAMPLE: /^\($/,
  PIVOT: /^\($/,
  UNPIVOT: /^\($/,
  MATCH_RECOGNIZE: /^\($/,
  PARTITION: /^\($/,
  AT: /^\($/,
  BEFORE: /^\($/,
  CHANGES: /^\($/,
  ASOF: /^JOIN$/,
  ANTI: /^JOIN$/,
  SEMI: /^JOIN$/,
  USE: /^(?:INDEX|KEY)$/,
  FORCE: /^(?:INDEX|KEY)$/,
  IGNORE: /^(?:INDEX|KEY)$/,
  INDEXED: /^BY$/,
  CONNECT: /^BY$/,
  START: /^WITH$/,
  LOCK: /^IN$/,
};

function isAlias(source: Source): boolean {
  const { upper, kind } = peek(source);
  if (kind !== 'word') return kind === 'quoted';
  const { notAliases } = source.grammar;
  const follower = peek(source, 1);
  if (notAliases.has(upper) || (upper === 'OFFSET' && follower.kind === 'parameter')) return false;
  return UNLESS[upper]?.test(follower.upper) !== true;
}

/** `AS name` or `name`; undefined if there is none. */
export function readAlias(source: Source): Name | undefined {
  const isExplicit = takeWords(source, 'AS');
  if (peek(source).kind === 'string' && has(source, 'string aliases')) {
    const { text, start } = next(source);
    return { name: text, at: start };
  }
  // Other readers accept some reserved words there.
  if (isExplicit && !source.isStrict && isNameToken(source)) return readMember(source);
  return isExplicit || isAlias(source) ? readName(source, 'an alias') : undefined;
}

/** Names in parentheses after an alias. Types after the names are not supported. */
export function readColumnNames(source: Source): readonly Name[] {
  return readList(source, () => {
    const name = readName(source);
    if (!isSymbol(source, ',') && !isSymbol(source, ')'))
      syntax(peek(source).start, 'Types of columns after an alias are not supported');
    return name;
  });
}
