// Parses FROM: tables, subqueries, unnested arrays, and joins.
import { parseAlias } from './clauses.ts';
import type { Reader } from './reader.ts';
import { syntax, tooLarge, untranslated } from '../translation-error.ts';
import type { FromItem, JoinKind, Name, Source } from '../tree.ts';

const MAX_ITEMS = 50;

/**
 * Parses the elements after FROM, which has been read.
 * @throws TranslationError
 */
export function parseFrom(reader: Reader): readonly FromItem[] {
  const items = [parseItem(reader, 'CROSS')];
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
  const alias = parseAlias(reader);
  const offset = source.kind === 'unnest' ? parseOffset(reader) : undefined;
  rejectRest(reader);
  const condition = join === 'CROSS' ? {} : parseCondition(reader);
  const whole = source.kind === 'unnest' && offset !== undefined ? { ...source, offset } : source;
  if (source.kind !== 'unnest' && join !== 'CROSS' && Object.keys(condition).length === 0) {
    // A path such as `t.metadata` needs no condition; whether it is a path is known only during translation.
    if (source.kind === 'query' || source.parts.length < 2) reader.reject('ON or USING');
  }
  return { at, join, source: whole, ...(alias === undefined ? {} : { alias }), ...condition };
}

function parseSource(reader: Reader): Source {
  if (reader.take('UNNEST')) {
    reader.expectSymbol('(');
    const array = reader.grammar.expression(reader);
    reader.expectSymbol(')');
    return { kind: 'unnest', array };
  }
  if (reader.isSymbol('(')) return parseBracket(reader);
  const parts = [reader.name('a table')];
  while (reader.takeSymbol('.')) parts.push(reader.name('a name'));
  if (reader.isSymbol('(')) syntax(reader.at(), 'Table functions are not allowed');
  return { kind: 'table', parts };
}

function parseBracket(reader: Reader): Source {
  const at = reader.at();
  reader.next();
  if (!['SELECT', 'WITH'].includes(reader.word() ?? '') && !reader.isSymbol('(')) {
    untranslated(
      at,
      'Joins in parentheses are not supported',
      'Remove the parentheses, or write (SELECT …).',
    );
  }
  const query = reader.grammar.query(reader);
  reader.expectSymbol(')');
  return { kind: 'query', query };
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
