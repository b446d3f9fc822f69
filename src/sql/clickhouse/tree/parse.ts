// Parses a ClickHouse query: set operations, WITH, and the clauses of a SELECT. One pass; every token is accounted for, and a sequence
// that is not known is a fault at its place.
import { createCursor, type Cursor } from '../cursor.ts';
import type { Token } from '../lexer.ts';
import { JOIN_WORDS, QUERY_STARTS, SET_OPERATORS } from './keywords.ts';
import type { Tree } from './nodes.ts';
import { parseLimit, parseOrderBy, parseTop, parseWindows } from './parse-ordering.ts';
import { parseExpression } from './parse-expression.ts';
import { isQueryGroup, parseExpressions, parseQueryGroup, parseTable } from './parse-groups.ts';
import { parseOperand } from './parse-operand.ts';
import { isPlaceholder } from './parse-type.ts';
import {
  anyName,
  beyond,
  close,
  createReader,
  expectKind,
  expectWord,
  fail,
  isAfterLast,
  isBareAlias,
  kind,
  leaf,
  listUntil,
  name,
  nest,
  newName,
  open,
  openAround,
  resume,
  shown,
  skip,
  take,
  takeKind,
  values,
  word,
  type Grammar,
  type Reader,
} from './reader.ts';

/** The readers that call each other. */
export const GRAMMAR: Grammar = { query: parseQuery, expression: parseExpression, operand: parseOperand };

/** The tree of a query; `cursor` has matching brackets, and at most as many tokens and levels of nesting as a consumer query. */
export function parse(cursor: Cursor): Tree {
  return parseWhole(createReader(cursor, GRAMMAR, 0));
}

/** The tree of an author's query, or of a part of one that is a query: with placeholders, databases, table functions and settings. */
export function parseSaved(cursor: Cursor): Tree {
  return parseWhole(createReader(cursor, GRAMMAR, 1));
}

/** Parses a query whose databases may be names with dots, as those of ClickHouse's interface are. */
export function parseSentText(sql: string): Tree {
  return parseWhole(createReader(createCursor(sql), GRAMMAR, Infinity));
}

/** The tree of an author's query as text; `tokens` are its significant tokens, if they are known. */
export function parseSavedText(sql: string, tokens?: readonly Token[]): Tree {
  return parseSaved(createCursor(sql, tokens));
}

function parseWhole(reader: Reader): Tree {
  const { top } = reader;
  const isQuery = isQueryGroup(reader) || QUERY_STARTS.has(word(reader) ?? '');
  if (!isQuery) fail(reader, `A query must start with SELECT, WITH or FROM, not with ${shown(reader)}`);
  parseQuery(reader);
  if (kind(reader) !== undefined) {
    const message = `Unexpected ${shown(reader)}; a comma, an operator or AS may be missing`;
    fail(reader, message, { kind: 'unexpected' });
  }
  if (reader.isSaved && reader.fault !== undefined) parseLastSettings(reader);
  const [only = top, other] = top.parts;
  return {
    cursor: reader.cursor,
    root: other === undefined ? only : top,
    fault: reader.passed ?? reader.fault,
  };
}

/** The settings at the end of a query that is not read up to them. They are a part of the root beside the query. */
function parseLastSettings(reader: Reader): void {
  const { cursor } = reader;
  for (let at = 0; at < cursor.length; at = cursor.after(at)) {
    if (cursor.word(at) !== 'SETTINGS' || cursor.kind(at + 1) !== 'word' || cursor.kind(at + 2) !== '=')
      continue;
    resume(reader, at);
    parseSettings(reader);
    return;
  }
}

/**
 * A query, or several joined by UNION, INTERSECT or EXCEPT. WITH is accepted only at the very beginning: a later member
 * with its own WITH would not see the tables around it.
 */
function parseQuery(reader: Reader): void {
  const { inLambda } = reader;
  reader.inLambda = false;
  const outer = reader.top;
  for (let isFirst = true; ; isFirst = false) {
    const withAt = withOfMember(reader);
    const isBracketed = kind(reader) === '(';
    if (isBracketed) parseQueryGroup(reader);
    else parseSelect(reader);
    const goesOn = SET_OPERATORS.has(word(reader) ?? '');
    if (goesOn) {
      if (isFirst) openAround(reader, 'union', 1, reader.at);
      skip(reader);
      if (!take(reader, 'ALL')) take(reader, 'DISTINCT');
    }
    if (withAt !== undefined && !reader.isSaved && (!isFirst || (goesOn && isBracketed))) {
      const message = 'In a UNION, INTERSECT or EXCEPT, WITH is only allowed at the start of the whole query';
      fail(reader, message, { at: withAt });
    }
    if (!goesOn) break;
  }
  if (reader.top !== outer) close(reader, outer);
  reader.inLambda = inLambda;
}

/** The token of the member's own WITH, after its opening parentheses; undefined if it has none. */
function withOfMember(reader: Reader): number | undefined {
  let ahead = 0;
  while (kind(reader, ahead) === '(') ahead++;
  return word(reader, ahead) === 'WITH' ? reader.at + ahead : undefined;
}

function parseSelect(reader: Reader): void {
  const outer = open(reader, 'select');
  if (word(reader) === 'WITH') parseWith(reader);
  const isFromFirst = word(reader) === 'FROM';
  if (isFromFirst) parseFrom(reader);
  if (!take(reader, 'SELECT')) {
    fail(reader, 'Expected SELECT: a query is a SELECT, optionally preceded by WITH or FROM');
  }
  parseList(reader);
  if (!isFromFirst && word(reader) === 'FROM') parseFrom(reader);
  while (parseClause(reader));
  close(reader, outer);
}

function parseWith(reader: Reader): void {
  const outer = open(reader, 'with');
  skip(reader);
  if (word(reader) === 'RECURSIVE' && !(reader.isSaved && word(reader, 1) === 'AS')) {
    reader.top.at = reader.at;
    if (reader.isSaved) skip(reader);
    else fail(reader, 'WITH RECURSIVE is not supported');
  }
  do parseElement(reader);
  while (takeKind(reader, ','));
  close(reader, outer);
}

function parseElement(reader: Reader): void {
  const { at } = reader;
  if (isTableElement(reader)) parseTableElement(reader);
  else parseNamedExpression(reader);
  if (reader.isSaved) endElement(reader, at);
}

/** An unknown form in an element of an author ends at the next one, or at the main query. */
function endElement(reader: Reader, from: number): void {
  const isMain = (at: number): boolean => /^(?:SELECT|FROM)$/.test(reader.cursor.word(at) ?? '');
  const isEnd = kind(reader) === undefined || kind(reader) === ',' || isMain(reader.at);
  if (reader.fault === undefined && isEnd) return;
  fail(reader, `Unexpected ${shown(reader)}`, { kind: 'unexpected' });
  const { cursor, top } = reader;
  let end = from;
  while (end < cursor.length && cursor.kind(end) !== ',' && !isMain(end)) end = cursor.after(end);
  resume(reader, end);
  const element = top.parts.at(-1);
  if (element === undefined || element.from !== from) return;
  element.to = end;
  element.isWhole = false;
  if (element.kind === 'with-value') element.at = Math.max(from, end - 1);
}

/** `name AS (SELECT …)`, with its optional parts. */
function isTableElement(reader: Reader): boolean {
  const hasColumns = reader.isSaved && kind(reader, 1) === '(';
  let ahead = hasColumns ? beyond(reader, 1) : 1;
  if (name(reader) === undefined || word(reader, ahead) !== 'AS') return false;
  ahead++;
  if (word(reader, ahead) === 'NOT') ahead++;
  if (word(reader, ahead) === 'MATERIALIZED') ahead++;
  return kind(reader, ahead) === '(';
}

function parseTableElement(reader: Reader): void {
  const outer = open(reader, 'with-table');
  newName(reader);
  if (takeKind(reader, '(')) listUntil(reader, ')', () => newName(reader)); // of its columns
  expectWord(reader, 'AS');
  take(reader, 'NOT');
  take(reader, 'MATERIALIZED');
  parseQueryGroup(reader);
  close(reader, outer);
}

/** `expression AS name`. */
function parseNamedExpression(reader: Reader): void {
  const outer = open(reader, 'with-value');
  parseExpression(reader, 'none');
  expectWord(reader, 'AS');
  reader.top.at = newName(reader);
  close(reader, outer);
}

function parseList(reader: Reader): void {
  if (word(reader) === 'DISTINCT') {
    const select = open(reader, 'distinct');
    skip(reader);
    if (take(reader, 'ON')) parseExpressions(reader, 'none');
    close(reader, select);
  } else take(reader, 'ALL');
  parseTop(reader);
  const outer = open(reader, 'list');
  do {
    if (isAfterLast(reader)) break;
    parseExpression(reader, 'bare');
  } while (takeKind(reader, ','));
  close(reader, outer);
}

/** Reads one clause after FROM; false if there is none. The engine checks their order. */
function parseClause(reader: Reader): boolean {
  const condition = CONDITIONS.get(word(reader));
  if (condition !== undefined) {
    const outer = open(reader, condition);
    skip(reader);
    parseExpression(reader, 'as');
    close(reader, outer);
    return true;
  }
  const next = word(reader, 1);
  if (word(reader) === 'GROUP') return next === 'BY' && parseGroupBy(reader);
  if (word(reader) === 'ORDER') return next === 'BY' && parseOrderBy(reader);
  if (word(reader) === 'WINDOW') return parseWindows(reader);
  if (word(reader) === 'SETTINGS') return reader.isSaved && parseSettings(reader);
  if (word(reader) !== 'WITH') return parseLimit(reader);
  if (!MODIFIERS.has(next)) return false;
  leaf(reader, 'modifier', 2);
  return true;
}

const CONDITIONS: ReadonlyMap<string | undefined, 'where' | 'prewhere' | 'having' | 'qualify'> = new Map([
  ['WHERE', 'where'],
  ['PREWHERE', 'prewhere'],
  ['HAVING', 'having'],
  ['QUALIFY', 'qualify'],
]);
/** After WITH and what is grouped by. */
export const MODIFIERS: ReadonlySet<string | undefined> = new Set(['ROLLUP', 'CUBE', 'TOTALS']);

/** `name = value` between commas; the values are literals. */
function parseSettings(reader: Reader): true {
  const outer = open(reader, 'settings');
  skip(reader);
  do {
    const settings = open(reader, 'setting');
    anyName(reader);
    expectKind(reader, '=');
    takeKind(reader, '+');
    if (kind(reader) === '{' && !isPlaceholder(reader)) leaf(reader, 'map', beyond(reader));
    else parseOperand(reader, true);
    close(reader, settings);
  } while (takeKind(reader, ','));
  close(reader, outer);
  return true;
}

function parseGroupBy(reader: Reader): true {
  const outer = open(reader, 'group-by');
  skip(reader, 2);
  if (take(reader, 'GROUPING', 'SETS')) {
    nest(reader, () => {
      expectKind(reader, '(', '( and grouping sets');
      do parseGroupingSet(reader);
      while (takeKind(reader, ','));
      expectKind(reader, ')', ') after the grouping sets');
    });
  } else if ((word(reader) === 'ROLLUP' || word(reader) === 'CUBE') && kind(reader, 1) === '(') {
    skip(reader);
    parseExpressions(reader, 'as');
  } else if (!take(reader, 'ALL')) values(reader, 'as');
  close(reader, outer);
  return true;
}

function parseGroupingSet(reader: Reader): void {
  if (kind(reader) !== '(') {
    parseExpression(reader, 'none');
    return;
  }
  const outer = open(reader, 'tuple');
  parseExpressions(reader, 'none');
  close(reader, outer);
}

/** Everything after FROM up to the next clause. */
function parseFrom(reader: Reader): void {
  const outer = open(reader, 'from');
  skip(reader);
  parseSource(reader);
  while (parseNextSource(reader));
  close(reader, outer);
}

function parseNextSource(reader: Reader): boolean {
  if (takeKind(reader, ',')) {
    parseSource(reader);
    return true;
  }
  let ahead = reader.isSaved && word(reader) === 'NATURAL' ? 1 : 0;
  while (JOIN_WORDS.has(word(reader, ahead) ?? '')) ahead++;
  if (word(reader, ahead) === 'ARRAY' && word(reader, ahead + 1) === 'JOIN') {
    const outer = open(reader, 'array-join');
    skip(reader, ahead + 2);
    values(reader, 'as');
    close(reader, outer);
    return true;
  }
  if (word(reader, ahead) !== 'JOIN') return false;
  const outer = open(reader, 'join');
  reader.top.at = reader.at + ahead;
  skip(reader, ahead + 1);
  parseSource(reader);
  parseJoinCondition(reader);
  close(reader, outer);
  return true;
}

function parseSource(reader: Reader): void {
  const outer = open(reader, 'source');
  if (isQueryGroup(reader)) parseQueryGroup(reader);
  else if (reader.isSaved && kind(reader) === '(') parseJoined(reader);
  else parseTable(reader);
  if (take(reader, 'AS') || isBareAlias(reader)) {
    reader.top.at = newName(reader);
    if (reader.isSaved && takeKind(reader, '(')) listUntil(reader, ')', () => newName(reader)); // of its columns
  }
  if (word(reader) === 'FINAL' || word(reader) === 'SAMPLE') parseRowChoice(reader);
  close(reader, outer);
}

/** Joined tables in parentheses. */
function parseJoined(reader: Reader): void {
  const outer = open(reader, 'from');
  skip(reader);
  nest(reader, () => {
    parseSource(reader);
    while (parseNextSource(reader));
  });
  expectKind(reader, ')');
  close(reader, outer);
}

/** FINAL and SAMPLE, of stored tables. */
function parseRowChoice(reader: Reader): void {
  if (!reader.isSaved) fail(reader, `Unexpected ${shown(reader)}`, { kind: 'unexpected' });
  if (word(reader) === 'FINAL') leaf(reader, 'final');
  if (word(reader) !== 'SAMPLE') return;
  const outer = open(reader, 'sample');
  skip(reader);
  parseExpression(reader, 'none');
  if (take(reader, 'OFFSET')) parseExpression(reader, 'none');
  close(reader, outer);
}

function parseJoinCondition(reader: Reader): void {
  if (word(reader) === 'ON') {
    const outer = open(reader, 'on');
    skip(reader);
    parseExpression(reader, 'none');
    close(reader, outer);
  } else if (word(reader) === 'USING') {
    const outer = open(reader, 'using');
    skip(reader);
    if (kind(reader) === '(') parseExpressions(reader, 'none');
    else if (reader.isSaved) values(reader, 'none');
    else {
      parseExpression(reader, 'none');
      // Without parentheses the engine continues the column list where one would expect a further table.
      if (kind(reader) === ',') fail(reader, 'Several columns of USING must be in parentheses');
    }
    close(reader, outer);
  }
}
