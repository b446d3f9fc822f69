// Parses FROM: tables, subqueries, unnested arrays, and joins.
import { parseAlias, withoutEmptyDefault } from './clauses.ts';
import type { Reader } from './reader.ts';
import { syntax, tooLarge, untranslated } from '../translation-error.ts';
import type { FromItem, JoinKind, Name, Source } from '../../sql/syntax-tree.ts';

const MAX_ITEMS = 50;

/**
 * Parses the elements after FROM, which has been read.
 * @throws UnconvertedError
 */
export function parseFrom(reader: Reader): readonly FromItem[] {
  const first = parseItem(reader, 'CROSS');
  // Parentheses around the first tables change nothing.
  const items = first.source.kind === 'group' ? [...first.source.items] : [first];
  for (let join = takeJoin(reader); join !== undefined; join = takeJoin(reader)) {
    if (items.length >= MAX_ITEMS)
      tooLarge(reader.at(), `FROM may have at most ${MAX_ITEMS} tables and arrays`);
    items.push(parseItem(reader, join));
  }
  return items;
}

const JOINS: readonly (readonly [words: readonly string[], kind: JoinKind])[] = [
  [['CROSS', 'JOIN'], 'CROSS'],
  [['INNER', 'JOIN'], 'INNER'],
  [['JOIN'], 'INNER'],
  [['LEFT', 'OUTER', 'JOIN'], 'LEFT'],
  [['LEFT', 'JOIN'], 'LEFT'],
  [['RIGHT', 'OUTER', 'JOIN'], 'RIGHT'],
  [['RIGHT', 'JOIN'], 'RIGHT'],
  [['FULL', 'OUTER', 'JOIN'], 'FULL'],
  [['FULL', 'JOIN'], 'FULL'],
];

function takeJoin(reader: Reader): JoinKind | undefined {
  if (reader.takeSymbol(',')) return 'CROSS';
  return JOINS.find(([words]) => reader.take(...words))?.[1];
}

function parseItem(reader: Reader, join: JoinKind): FromItem {
  const at = reader.at();
  const source = parseSource(reader);
  const alias = source.kind === 'group' ? undefined : parseAlias(reader);
  const offset = source.kind === 'unnest' ? parseOffset(reader) : undefined;
  rejectRest(reader);
  const condition = join === 'CROSS' ? {} : parseCondition(reader);
  const whole = source.kind === 'unnest' && offset !== undefined ? { ...source, offset } : source;
  if (source.kind !== 'unnest' && join !== 'CROSS' && Object.keys(condition).length === 0) {
    // A path such as `t.metadata` needs no condition; whether it is a path is known only during translation.
    if (source.kind !== 'table' || source.parts.length < 2) reader.reject('ON or USING');
  }
  return { at, join, source: whole, ...(alias === undefined ? {} : { alias }), ...condition };
}

function parseSource(reader: Reader): Source {
  if (reader.take('UNNEST')) {
    reader.expectSymbol('(');
    const array = withoutEmptyDefault(reader.grammar.expression(reader));
    reader.expectSymbol(')');
    return { kind: 'unnest', array };
  }
  if (reader.isSymbol('(')) return reader.nest(() => parseBracket(reader));
  const parts = [reader.name('a table')];
  while (reader.takeSymbol('.')) parts.push(reader.name('a name'));
  if (reader.isSymbol('(')) syntax(reader.at(), 'Table functions are not allowed');
  return { kind: 'table', parts };
}

/** A subquery, or a join in parentheses. */
function parseBracket(reader: Reader): Source {
  const isQuery = isQueryInside(reader, 1);
  reader.expectSymbol('(');
  const source: Source = isQuery
    ? { kind: 'query', query: reader.grammar.query(reader) }
    : { kind: 'group', items: parseFrom(reader) };
  reader.expectSymbol(')');
  return source;
}

const SET_OPERATORS: ReadonlySet<string | undefined> = new Set([
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'ORDER',
  'LIMIT',
]);

/** Whether the tokens `ahead` are a query: in `((SELECT …) AS a JOIN …)` they are not. */
function isQueryInside(reader: Reader, ahead: number): boolean {
  if (!reader.isSymbol('(', ahead)) return ['SELECT', 'WITH'].includes(reader.word(ahead) ?? '');
  const after = afterBracket(reader, ahead);
  return (
    SET_OPERATORS.has(reader.word(after)) || (reader.isSymbol(')', after) && isQueryInside(reader, ahead + 1))
  );
}

/** The token after the parenthesis that closes the one `ahead`. */
function afterBracket(reader: Reader, ahead: number): number {
  let depth = 0;
  let at = ahead;
  do {
    if (reader.isSymbol('(', at)) depth++;
    else if (reader.isSymbol(')', at)) depth--;
    at++;
  } while (depth > 0 && reader.peek(at).kind !== 'end');
  return at;
}

function parseOffset(reader: Reader): Name | undefined {
  const at = reader.at();
  if (!reader.take('WITH', 'OFFSET')) return undefined;
  return parseAlias(reader) ?? { name: 'offset', at };
}

function rejectRest(reader: Reader): void {
  const word = reader.word();
  if (word !== 'TABLESAMPLE' && word !== 'FOR') return;
  untranslated(reader.at(), `${word} is not allowed: the tables are query results`);
}

function parseCondition(reader: Reader): Pick<FromItem, 'on' | 'using'> {
  if (reader.take('ON')) return { on: reader.grammar.expression(reader) };
  if (!reader.take('USING')) return {};
  reader.expectSymbol('(');
  const using: Name[] = [];
  do using.push(reader.name('the name of a column'));
  while (reader.takeSymbol(','));
  reader.expectSymbol(')');
  return { using };
}
