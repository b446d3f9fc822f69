// Values: constants, columns with paths, parenthesized expressions, calls, and forms that begin with a keyword; and their suffixes.
import { parseArguments, parseLambda, isCall, parseCall } from './parse-call.ts';
import { isQueryGroup, parseExpressions, parseParentheses, parseQueryGroup } from './parse-groups.ts';
import {
  close,
  expectKind,
  fail,
  isKeyword,
  kind,
  name,
  nest,
  open,
  openAround,
  skip,
  take,
  takeKind,
  word,
  type OpenNode,
  type Reader,
  beyond,
  expectWord,
  leaf,
  listUntil,
  shown,
  wrap,
} from './reader.ts';
import type { TokenKind } from '../lexer.ts';
import { CONSTANTS, KEYWORDS, UNITS } from './keywords.ts';
import { isPlaceholder, parsePlaceholder, parseType } from './parse-type.ts';

/** A value and its suffixes: `.path`, `[index]`, `::Type`. A minus before it applies to all of it, or is a part of a number. */
export function parseOperand(reader: Reader, isSigned = false): void {
  const { at } = reader;
  const isNegative = isSigned && kind(reader) === '-';
  if (isNegative && kind(reader, 1) === 'number') leaf(reader, 'number', 2);
  else {
    if (isNegative) skip(reader);
    parseValue(reader);
  }
  while (parseSuffix(reader));
  if (isNegative && reader.top.parts.at(-1)?.from !== at) wrap(reader, 'sign', 1, at);
}

const VALUES: ReadonlyMap<TokenKind | undefined, (reader: Reader) => void> = new Map<
  TokenKind,
  (reader: Reader) => void
>([
  ['number', (reader) => leaf(reader, 'number')],
  ['string', (reader) => leaf(reader, 'string')],
  ['heredoc', (reader) => (reader.isSaved ? leaf(reader, 'string') : rejectValue(reader))],
  ['*', (reader) => parseStar(reader, 0)],
  ['(', parseBrackets],
  ['[', parseArray],
  ['word', parseNamed],
  ['quoted', parseNamed],
]);

function parseValue(reader: Reader): void {
  if (isPlaceholder(reader)) parsePlaceholder(reader);
  else (VALUES.get(kind(reader)) ?? rejectValue)(reader);
}

function parseBrackets(reader: Reader): void {
  if (isQueryGroup(reader)) parseQueryGroup(reader);
  else parseParentheses(reader, 'as');
}

function parseArray(reader: Reader): void {
  const outer = open(reader, 'array');
  skip(reader);
  listUntil(reader, ']', () => reader.grammar.expression(reader, 'as'));
  close(reader, outer);
}

function rejectValue(reader: Reader): void {
  const seen = kind(reader) === undefined ? 'the query ends' : `found ${shown(reader)}`;
  fail(reader, `Expected a value, but ${seen}`);
}

function parseNamed(reader: Reader): void {
  const first = word(reader);
  const next = kind(reader, 1);
  if (first === 'CASE') parseCase(reader);
  else if (first === 'INTERVAL' && startsInterval(reader)) parseInterval(reader);
  else if ((first === 'DATE' || first === 'TIMESTAMP') && next === 'string') parseTyped(reader);
  else if (first === 'COLUMNS' && next === '(') parseColumns(reader, 0);
  else if (isCall(reader)) parseCall(reader);
  else if (isKeyword(reader)) rejectValue(reader);
  else leaf(reader, CONSTANTS.has(first ?? '') ? 'constant' : 'column');
}

function parseTyped(reader: Reader): void {
  const outer = open(reader, 'typed');
  skip(reader);
  leaf(reader, 'string');
  close(reader, outer);
}

function parseCase(reader: Reader): void {
  const outer = open(reader, 'case');
  skip(reader);
  nest(reader, () => {
    if (word(reader) !== 'WHEN') reader.grammar.expression(reader, 'none');
    do parseWhen(reader);
    while (word(reader) === 'WHEN');
    if (word(reader) === 'ELSE') {
      const whole = open(reader, 'else');
      skip(reader);
      reader.grammar.expression(reader, 'none');
      close(reader, whole);
    }
    expectWord(reader, 'END');
  });
  close(reader, outer);
}

function parseWhen(reader: Reader): void {
  const outer = open(reader, 'when');
  expectWord(reader, 'WHEN');
  reader.grammar.expression(reader, 'none');
  expectWord(reader, 'THEN');
  reader.grammar.expression(reader, 'none');
  close(reader, outer);
}

/** `interval` followed by an operator, a comma or the end is a column. */
function startsInterval(reader: Reader): boolean {
  const next = kind(reader, 1);
  if (next === 'number' || next === 'string' || next === '(') return true;
  if (reader.isSaved) return isUnitAhead(reader);
  return next === 'word' && word(reader, 1) !== 'AS' && UNITS.has(word(reader, 2) ?? '');
}

/** Authors may write any value before the unit. */
function isUnitAhead(reader: Reader): boolean {
  const next = kind(reader, 1);
  const isNegative = next === '-' && kind(reader, 2) === 'number';
  const isValue = next === 'word' || next === 'quoted' || isNegative || isPlaceholder(reader, 1);
  if (!isValue) return false;
  for (let ahead = 1; ; ahead = beyond(reader, ahead)) {
    const seen = word(reader, ahead) ?? '';
    if (ahead > 1 && UNITS.has(seen)) return true;
    const at = kind(reader, ahead);
    if (at === undefined || at === ',' || at === ')' || KEYWORDS.has(seen)) return false;
  }
}

/** `INTERVAL value UNIT`, or a string that contains the unit. */
function parseInterval(reader: Reader): void {
  const isWhole = kind(reader, 1) === 'string' && !UNITS.has(word(reader, 2) ?? '');
  const outer = open(reader, 'interval');
  skip(reader);
  nest(reader, () => (reader.isSaved ? reader.grammar.expression(reader, 'none') : parseOperand(reader)));
  if (!isWhole) {
    if (!UNITS.has(word(reader) ?? '')) fail(reader, 'Expected a unit of time such as DAY');
    skip(reader);
  }
  close(reader, outer);
}

const SUFFIXES: ReadonlyMap<TokenKind | undefined, (reader: Reader) => void> = new Map<
  TokenKind,
  (reader: Reader) => void
>([
  ['.', parsePath],
  ['::', parseCast],
  ['[', parseIndex],
]);

function parseSuffix(reader: Reader): boolean {
  const read = SUFFIXES.get(kind(reader));
  read?.(reader);
  return read !== undefined;
}

function parseCast(reader: Reader): void {
  const outer = openAround(reader, 'cast', 1, reader.at);
  skip(reader);
  parseType(reader);
  close(reader, outer);
}

/** `[index]`, or `[]` in a JSON path. */
function parseIndex(reader: Reader): void {
  const outer = openAround(reader, 'index', 1, reader.at);
  skip(reader);
  if (!takeKind(reader, ']')) {
    nest(reader, () => reader.grammar.expression(reader, 'none'));
    expectKind(reader, ']');
  }
  close(reader, outer);
}

/** What may follow a dot: a name, a number, `*`, `:Type` or `^name` of a JSON path; never a call. */
function parsePath(reader: Reader): void {
  const { at } = reader;
  const next = kind(reader, 1);
  if (next === '*') {
    skip(reader);
    parseStar(reader, 1);
  } else if (word(reader, 1) === 'COLUMNS' && kind(reader, 2) === '(') {
    skip(reader);
    parseColumns(reader, 1);
  } else if (next === ':') {
    const outer = openAround(reader, 'access', 1, at + 1);
    skip(reader, 2);
    parseType(reader);
    close(reader, outer);
  } else parseName(reader);
}

function parseName(reader: Reader): void {
  const column = reader.top.parts.at(-1);
  skip(reader);
  const { at } = reader;
  takeKind(reader, '^');
  const next = kind(reader);
  if (next !== 'word' && next !== 'quoted' && next !== 'number') rejectValue(reader);
  const isPlain = next !== 'number' && at === reader.at && column?.kind === 'column';
  skip(reader);
  // One name with dots, or an element of a value.
  if (isPlain) wrapColumn(reader);
  else wrap(reader, 'access', 1, at);
  if (kind(reader) === '(') {
    fail(reader, 'Function names must not include a database', { kind: 'call', at: reader.at - 1 });
  }
}

/** The column before the last dot, with the name after it. */
function wrapColumn(reader: Reader): void {
  const from = reader.top.parts.pop()?.from ?? reader.at;
  reader.top.parts.push({ kind: 'column', from, to: reader.at, at: from, parts: [], isWhole: true });
}

/** Begins a matcher; `qualifiers`: 1 if the last part qualifies it. */
function openMatcher(reader: Reader, kindOf: 'star' | 'columns', qualifiers: 0 | 1): OpenNode {
  return qualifiers === 0 ? open(reader, kindOf) : openAround(reader, kindOf, 1, reader.at);
}

/** `*` and its column modifiers. */
function parseStar(reader: Reader, qualifiers: 0 | 1): void {
  const outer = openMatcher(reader, 'star', qualifiers);
  expectKind(reader, '*');
  while (parseModifier(reader));
  close(reader, outer);
}

/** `COLUMNS('pattern')` or `COLUMNS(a, b)`. */
function parseColumns(reader: Reader, qualifiers: 0 | 1): void {
  const outer = openMatcher(reader, 'columns', qualifiers);
  skip(reader);
  parseColumnNames(reader);
  while (parseModifier(reader));
  close(reader, outer);
}

function parseModifier(reader: Reader): boolean {
  if (word(reader) === 'EXCEPT' && !startsMember(reader, 1)) {
    const outer = open(reader, 'except');
    skip(reader);
    take(reader, 'STRICT');
    if (kind(reader) === '(') parseColumnNames(reader);
    else parseColumnName(reader);
    close(reader, outer);
    return true;
  }
  if (word(reader) === 'REPLACE') {
    const outer = open(reader, 'replace');
    skip(reader);
    take(reader, 'STRICT');
    if (kind(reader) === '(') parseExpressions(reader, 'as');
    else reader.grammar.expression(reader, 'as');
    close(reader, outer);
    return true;
  }
  if (word(reader) !== 'APPLY') return false;
  parseApply(reader);
  return true;
}

/** Returns whether EXCEPT is the set operator rather than the column modifier. */
function startsMember(reader: Reader, ahead: number): boolean {
  const next = word(reader, ahead);
  if (next === 'ALL' || next === 'DISTINCT') return true;
  return next === 'SELECT' || next === 'WITH' || next === 'FROM' || isQueryGroup(reader, ahead);
}

/** `('pattern')`, or column names in parentheses. */
function parseColumnNames(reader: Reader): void {
  expectKind(reader, '(');
  if (!takeKind(reader, 'string')) {
    do parseColumnName(reader);
    while (takeKind(reader, ','));
  }
  expectKind(reader, ')');
}

function parseColumnName(reader: Reader): void {
  const outer = open(reader, 'column-name');
  do {
    if (name(reader) === undefined || isKeyword(reader)) fail(reader, 'Expected a column name');
    skip(reader);
  } while (takeKind(reader, '.'));
  close(reader, outer);
}

/** A function name, optionally with parameters, or a lambda; the parentheses around it are optional. */
function parseApply(reader: Reader): void {
  const outer = open(reader, 'apply');
  skip(reader);
  if (takeKind(reader, '(')) {
    nest(reader, () => {
      if (!parseLambda(reader)) parseApplied(reader);
      if (takeKind(reader, ',')) expectKind(reader, 'string', 'a prefix, as a string');
    });
    expectKind(reader, ')');
  } else if (!reader.isSaved || !parseLambda(reader, 'none')) parseApplied(reader);
  close(reader, outer);
}

function parseApplied(reader: Reader): void {
  const outer = open(reader, 'applied');
  if (name(reader) === undefined) fail(reader, 'Expected the name of a function');
  skip(reader);
  if (kind(reader) === '(') parseArguments(reader, 'arguments');
  close(reader, outer);
}
