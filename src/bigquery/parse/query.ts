// Parses queries: WITH, SELECT and its clauses, set operations, and their ORDER BY and LIMIT.
import { parseAlias, parseCount, parseOrders, parseWindow } from './clauses.ts';
import { parseExpression } from './expression.ts';
import { parseFrom } from './from.ts';
import type { Token } from './lexer.ts';
import { createReader, type Reader } from './reader.ts';
import { syntax, untranslated } from '../translation-error.ts';
import type { Expression, Item, Name, Query, Select, SetOperation } from '../../sql/syntax-tree.ts';

/**
 * Parses one query to a tree.
 * Source: BigQuery, Query syntax.
 * @throws UnconvertedError
 */
export function parseTokens(tokens: readonly Token[]): Query {
  const reader = createReader(tokens, { query: parseQuery, expression: parseExpression });
  if (reader.peek().kind === 'end') syntax(0, 'The query is empty');
  const query = parseQuery(reader);
  while (reader.takeSymbol(';'));
  if (reader.peek().kind !== 'end') reader.reject('the end of the query', 'Send a single SELECT.');
  return query;
}

function parseQuery(reader: Reader): Query {
  return reader.nest(() => {
    const at = reader.at();
    const tables = reader.take('WITH') ? parseTables(reader) : [];
    const body = parseBody(reader);
    const orderBy = reader.take('ORDER', 'BY') ? parseOrders(reader) : [];
    const limit = reader.take('LIMIT') ? parseCount(reader) : undefined;
    const offset = limit !== undefined && reader.take('OFFSET') ? parseCount(reader) : undefined;
    return {
      kind: 'query',
      at,
      tables,
      body,
      orderBy,
      ...(limit === undefined ? {} : { limit }),
      ...(offset === undefined ? {} : { offset }),
    };
  });
}

function parseTables(reader: Reader): Query['tables'] {
  if (reader.word() === 'RECURSIVE') untranslated(reader.at(), 'WITH RECURSIVE is not supported');
  const tables: { name: Name; query: Query }[] = [];
  do {
    if (tables.length > 0 && (reader.word() === 'SELECT' || reader.isSymbol('('))) break;
    const name = reader.name('a name for the table');
    reader.expect('AS');
    reader.expectSymbol('(');
    const query = parseQuery(reader);
    reader.expectSymbol(')');
    tables.push({ name, query });
  } while (reader.takeSymbol(','));
  return tables;
}

const OPERATORS = ['UNION ALL', 'UNION DISTINCT', 'INTERSECT DISTINCT', 'EXCEPT DISTINCT'] as const;

function parseBody(reader: Reader): Query['body'] {
  const at = reader.at();
  const first = parseMember(reader);
  const operator = takeOperator(reader);
  if (operator === undefined) return first;
  const members = [first];
  for (let next: SetOperation['operator'] | undefined = operator; next !== undefined;) {
    if (next !== operator) {
      untranslated(reader.at(), `${operator} and ${next} cannot be mixed: put one of them in parentheses`);
    }
    members.push(parseMember(reader));
    next = takeOperator(reader);
  }
  return { kind: 'set', at, operator, members };
}

function takeOperator(reader: Reader): SetOperation['operator'] | undefined {
  if (!['UNION', 'INTERSECT', 'EXCEPT'].includes(reader.word() ?? '')) return undefined;
  const found = OPERATORS.find((operator) => reader.take(...operator.split(' ')));
  if (found !== undefined) return found;
  reader.next();
  return reader.reject('ALL or DISTINCT');
}

function parseMember(reader: Reader): Select | Query {
  if (!reader.takeSymbol('(')) return parseSelect(reader);
  const query = parseQuery(reader);
  reader.expectSymbol(')');
  return query;
}

function parseSelect(reader: Reader): Select {
  const at = reader.at();
  reader.another();
  if (!reader.take('SELECT')) {
    reader.reject('SELECT', 'Only queries are allowed: SELECT, optionally preceded by WITH.');
  }
  if (reader.word() === 'AS' && ['STRUCT', 'VALUE'].includes(reader.word(1) ?? '')) {
    untranslated(reader.at(), 'SELECT AS STRUCT and AS VALUE are not supported', 'List the columns instead.');
  }
  const isDistinct = reader.take('DISTINCT');
  if (!isDistinct) reader.take('ALL');
  const items = parseItems(reader);
  const from = reader.take('FROM') ? parseFrom(reader) : [];
  const where = parseClause(reader, 'WHERE');
  const groupBy = reader.take('GROUP', 'BY') ? parseGroupBy(reader) : [];
  const having = parseClause(reader, 'HAVING');
  const qualify = parseClause(reader, 'QUALIFY');
  const windows = reader.take('WINDOW') ? parseWindows(reader) : [];
  return {
    kind: 'select',
    at,
    isDistinct,
    items,
    from,
    groupBy,
    windows,
    ...(where === undefined ? {} : { where }),
    ...(having === undefined ? {} : { having }),
    ...(qualify === undefined ? {} : { qualify }),
  };
}

function parseClause(reader: Reader, word: string): Expression | undefined {
  return reader.take(word) ? parseExpression(reader) : undefined;
}

/** A comma before one of these is a trailing comma of the select list. */
const AFTER_ITEMS: ReadonlySet<string | undefined> = new Set(['FROM', 'WHERE', 'UNION', 'ORDER', 'LIMIT']);

function parseItems(reader: Reader): readonly Item[] {
  const items: Item[] = [];
  do {
    const isOver = AFTER_ITEMS.has(reader.word()) || reader.peek().kind === 'end';
    if (items.length > 0 && (isOver || reader.isSymbol(')') || reader.isSymbol(';'))) break;
    items.push(parseItem(reader));
  } while (reader.takeSymbol(','));
  return items;
}

function parseItem(reader: Reader): Item {
  const at = reader.at();
  if (reader.takeSymbol('*')) return parseStar(reader, at, undefined);
  const value = parseExpression(reader);
  if (reader.isSymbol('.') && reader.isSymbol('*', 1)) {
    reader.next();
    reader.next();
    return parseStar(reader, at, value);
  }
  const alias = parseAlias(reader);
  return { kind: 'value', value, ...(alias === undefined ? {} : { alias }) };
}

function parseStar(reader: Reader, at: number, of: Expression | undefined): Item {
  const except: Name[] = [];
  const replace: { value: Expression; name: Name }[] = [];
  if (reader.word() === 'EXCEPT' && reader.isSymbol('(', 1)) {
    reader.next();
    parseList(reader, () => except.push(reader.name('the name of a column')));
  }
  if (reader.word() === 'REPLACE' && reader.isSymbol('(', 1)) {
    reader.next();
    parseList(reader, () => {
      const value = parseExpression(reader);
      reader.expect('AS');
      replace.push({ value, name: reader.name('the name of a column') });
    });
  }
  return { kind: 'star', at, except, replace, ...(of === undefined ? {} : { of }) };
}

function parseList(reader: Reader, item: () => unknown): void {
  reader.expectSymbol('(');
  do item();
  while (reader.takeSymbol(',') && !reader.isSymbol(')'));
  reader.expectSymbol(')');
}

function parseGroupBy(reader: Reader): Select['groupBy'] {
  if (reader.take('ALL')) return 'ALL';
  if (['ROLLUP', 'CUBE', 'GROUPING'].includes(reader.word() ?? '')) {
    untranslated(
      reader.at(),
      'ROLLUP, CUBE and GROUPING SETS are not supported',
      'In ClickHouse: GROUP BY a, b WITH ROLLUP.',
    );
  }
  const keys: Expression[] = [];
  do keys.push(parseExpression(reader));
  while (reader.takeSymbol(','));
  return keys;
}

function parseWindows(reader: Reader): Select['windows'] {
  const windows: { name: Name; window: ReturnType<typeof parseWindow> }[] = [];
  do {
    const name = reader.name('the name of a window');
    reader.expect('AS');
    windows.push({ name, window: parseWindow(reader) });
  } while (reader.takeSymbol(','));
  return windows;
}
