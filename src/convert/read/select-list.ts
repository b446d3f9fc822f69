// Reads the elements of the select list, and what precedes them.
import type { Item, Name } from '../../sql/syntax-tree.ts';
import { readCount } from './clauses.ts';
import type { Member } from './leaf.ts';
import {
  type Source,
  expectSymbol,
  expectWord,
  isMysql,
  isSymbol,
  isWord,
  next,
  peek,
  readExpression,
  readItems,
  readList,
  readName,
  report,
  takeSymbol,
  takeWords,
  textFrom,
  unexpected,
} from './source.ts';
import { syntaxError } from './read-error.ts';

/** Of MySQL; they do not change the rows. */
const MODIFIERS: ReadonlySet<string> = new Set([
  'SQL_CALC_FOUND_ROWS',
  'STRAIGHT_JOIN',
  'SQL_NO_CACHE',
  'SQL_CACHE',
  'HIGH_PRIORITY',
  'SQL_SMALL_RESULT',
  'SQL_BIG_RESULT',
  'SQL_BUFFER_RESULT',
]);

/** DISTINCT, ALL, TOP and hints, before the elements. */
export function readSelectOptions(source: Source, member: Member): void {
  const { start } = peek(source);
  while (
    isMysql(source) &&
    MODIFIERS.has(peek(source).upper) &&
    !isSymbol(source, ',', 1) &&
    !isWord(source, 'FROM', 1)
  ) {
    source.at++;
    report(source, start, {
      severity: 'note',
      code: 'clause',
      message: `${textFrom(source, start)} is left out`,
    });
  }
  if (takeWords(source, 'DISTINCT') || takeWords(source, 'UNIQUE')) {
    if (takeWords(source, 'ON')) member.distinctOn = readList(source, () => readExpression(source));
    else member.isDistinct = true;
  } else if (isWord(source, 'ALL') && !isSymbol(source, ',', 1)) source.at++;
  if (source.dialect === 'bigquery' && takeWords(source, 'AS', 'STRUCT')) member.isStruct = true;
  if (source.dialect === 'bigquery') takeWords(source, 'AS', 'VALUE');
  const isTop = isWord(source, 'TOP') && ['number', 'parameter'].includes(peek(source, 1).kind);
  if (!isTop) return;
  source.at++;
  member.top = readCount(source);
  if (isWord(source, 'PERCENT') || isWord(source, 'WITH')) unexpected(source, 'the select list');
}

/** BigQuery: the elements of `SELECT AS STRUCT` as one. */
export function structItem(source: Source, items: readonly Item[]): Item {
  const { start: at } = peek(source);
  const fields = items.map((item) => {
    if (item.kind === 'star') return syntaxError(item.at, '* in SELECT AS STRUCT is not supported');
    const name = item.alias ?? (item.value.kind === 'path' ? item.value.parts.at(-1) : undefined);
    return { value: item.value, ...(name === undefined ? {} : { alias: name }) };
  });
  return {
    kind: 'value',
    value: { kind: 'struct', at: items[0]?.kind === 'value' ? items[0].value.at : at, fields },
  };
}

/** @throws ReadError */
export function readItem(source: Source): Item {
  const star = readStar(source);
  if (star !== undefined) return star;
  const value = readExpression(source);
  const alias = readAlias(source);
  return { kind: 'value', value, ...(alias === undefined ? {} : { alias }) };
}

/** `*` and `t.*`, with the columns that are left out or replaced. */
function readStar(source: Source): Item | undefined {
  const { start: at } = peek(source);
  const parts: Name[] = [];
  let ahead = 0;
  while (['word', 'quoted'].includes(peek(source, ahead).kind) && isSymbol(source, '.', ahead + 1)) {
    parts.push({ name: peek(source, ahead).text, at: peek(source, ahead).start });
    ahead += 2;
  }
  if (!isSymbol(source, '*', ahead)) return undefined;
  source.at += ahead + 1;
  const except: Name[] = [];
  const replace: Extract<Item, { kind: 'star' }>['replace'][number][] = [];
  for (;;) {
    if (isWord(source, 'ILIKE') || isWord(source, 'RENAME'))
      syntaxError(peek(source).start, `${peek(source).upper} after * is not supported`);
    if (isExcept(source)) {
      source.at++;
      except.push(...(isSymbol(source, '(') ? readList(source, () => readName(source)) : [readName(source)]));
    } else if (isWord(source, 'REPLACE') && isSymbol(source, '(', 1)) {
      source.at++;
      replace.push(...readReplaced(source));
    } else break;
  }
  return {
    kind: 'star',
    at,
    ...(parts.length === 0 ? {} : { of: { kind: 'path', at, parts } }),
    except,
    replace,
  };
}

/** EXCEPT is also a set operator: a query follows then. */
function isExcept(source: Source): boolean {
  if (isWord(source, 'EXCLUDE')) return true;
  return (
    isWord(source, 'EXCEPT') &&
    isSymbol(source, '(', 1) &&
    !isWord(source, 'SELECT', 2) &&
    !isSymbol(source, '(', 2)
  );
}

function readReplaced(source: Source) {
  return readList(source, () => {
    const value = readExpression(source);
    takeWords(source, 'AS');
    return { value, name: readName(source) };
  });
}

/** Words that follow an expression or a table and are no alias. */
const NOT_ALIASES: ReadonlySet<string> = new Set([
  'FROM', 'WHERE', 'GROUP', 'HAVING', 'QUALIFY', 'WINDOW', 'ORDER', 'LIMIT', 'FETCH', 'UNION', 'INTERSECT', 'EXCEPT', 'MINUS', 'INTO',
  'FOR', 'ON', 'USING', 'JOIN', 'LEFT', 'RIGHT', 'FULL', 'INNER', 'CROSS', 'NATURAL', 'OUTER', 'LATERAL', 'STRAIGHT_JOIN',
  'TABLESAMPLE', 'WITH', 'AND', 'OR', 'THEN', 'WHEN', 'ELSE', 'END', 'AS', 'IS', 'IN', 'NOT', 'LIKE', 'BETWEEN', 'SELECT', 'CASE', 'BY',
]); // prettier-ignore

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
  const { upper } = peek(source);
  const next = peek(source, 1);
  if (upper === 'OFFSET' && next.kind === 'parameter') return false;
  return !NOT_ALIASES.has(upper) && UNLESS[upper]?.test(next.upper) !== true;
}

/** `AS name` or `name`; undefined if there is none. */
export function readAlias(source: Source): Name | undefined {
  const isStringName = !['postgresql', 'redshift', 'trino'].includes(source.dialect);
  if (takeWords(source, 'AS')) {
    if (isStringName && peek(source).kind === 'string') return stringName(source);
    return readName(source, 'an alias');
  }
  const { kind } = peek(source);
  if (kind === 'quoted' || (kind === 'word' && isAlias(source))) return readName(source);
  return isStringName && kind === 'string' ? stringName(source) : undefined;
}

function stringName(source: Source): Name {
  const { text, start } = next(source);
  return { name: text, at: start };
}

/** Names in parentheses after an alias. Types after the names are not supported. */
export function readColumnNames(source: Source): readonly Name[] {
  expectSymbol(source, '(');
  const names = readItems(source, () => {
    const name = readName(source);
    if (!isSymbol(source, ',') && !isSymbol(source, ')'))
      syntaxError(peek(source).start, 'Types of columns after an alias are not supported');
    return name;
  });
  if (!takeSymbol(source, ')')) expectWord(source, ')');
  return names;
}
