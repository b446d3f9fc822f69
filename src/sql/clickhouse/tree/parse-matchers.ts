// Matchers of columns, `*` and COLUMNS, and their modifiers EXCEPT, REPLACE and APPLY.
import { parseArguments, parseLambda } from './parse-call.ts';
import { isQueryGroup, parseExpressions } from './parse-groups.ts';
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
} from './reader.ts';

/** Begins a matcher; `qualifiers`: 1 if the last part qualifies it. */
function openMatcher(reader: Reader, kindOf: 'star' | 'columns', qualifiers: 0 | 1): OpenNode {
  return qualifiers === 0 ? open(reader, kindOf) : openAround(reader, kindOf, 1, reader.at);
}

/** `*` and its column modifiers. */
export function parseStar(reader: Reader, qualifiers: 0 | 1): void {
  const outer = openMatcher(reader, 'star', qualifiers);
  expectKind(reader, '*');
  while (parseModifier(reader));
  close(reader, outer);
}

/** `COLUMNS('pattern')` or `COLUMNS(a, b)`. */
export function parseColumns(reader: Reader, qualifiers: 0 | 1): void {
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
