// Calls and their arguments: values, lambdas, the keywords of standard SQL between them, and what follows a call.
import { CALLABLE, IN_FUNCTIONS, KEYWORDS, QUANTIFIERS } from './keywords.ts';
import { isQueryGroup, parseQueryArgument, parseQueryGroup, parseSet } from './parse-groups.ts';
import { parseWindow } from './parse-ordering.ts';
import { parseType } from './parse-type.ts';
import {
  beyond,
  close,
  expectKind,
  expectWord,
  fail,
  isKeyword,
  isKeywordBefore,
  kind,
  listUntil,
  name,
  nest,
  newName,
  open,
  skip,
  take,
  takeKind,
  word,
  type AliasForm,
  type Reader,
} from './reader.ts';

/** Returns whether a name followed by an opening parenthesis comes next. */
export function isCall(reader: Reader): boolean {
  const first = word(reader) ?? '';
  return kind(reader, 1) === '(' && (!KEYWORDS.has(first) || CALLABLE.has(first));
}

const FORMS: ReadonlyMap<string, ArgumentForm> = new Map([
  ['EXTRACT', { separators: ['FROM'], prefixes: [] }],
  ['SUBSTRING', { separators: ['FROM', 'FOR'], prefixes: [] }],
  ['OVERLAY', { separators: ['PLACING', 'FROM', 'FOR'], prefixes: [] }],
  ['TRIM', { separators: ['FROM'], prefixes: ['BOTH', 'LEADING', 'TRAILING'] }],
]);

/** `name(arguments)` or `name(parameters)(arguments)`, and what may follow. */
export function parseCall(reader: Reader): void {
  const first = word(reader);
  const called = name(reader) ?? '';
  if (QUANTIFIERS.has(first ?? '') && isQueryGroup(reader, 1)) {
    const outer = open(reader, 'quantified');
    skip(reader);
    parseQueryGroup(reader);
    close(reader, outer);
    return;
  }
  const outer = open(reader, 'call');
  skip(reader);
  if (IN_FUNCTIONS.has(called.toLowerCase())) parseInArguments(reader);
  else {
    const form = FORMS.get(called.toUpperCase());
    if (first === 'CAST') parseCast(reader);
    else if (first === 'POSITION' && isStandardPosition(reader)) parsePosition(reader);
    else if (kind(reader, beyond(reader)) === '(') parseArguments(reader, 'parameters');
    else parseArguments(reader, 'arguments', form);
    if (kind(reader) === '(') parseArguments(reader, 'arguments', form);
    parseAfterCall(reader);
  }
  close(reader, outer);
}

/** The arguments of `in(x, set)`, whose second is the right side of IN. */
function parseInArguments(reader: Reader): void {
  const outer = open(reader, 'arguments');
  expectKind(reader, '(');
  let index = 0;
  listUntil(reader, ')', () => {
    if (index === 1) parseSet(reader);
    else reader.grammar.expression(reader, 'none');
    index++;
  });
  close(reader, outer);
}

/** `(value AS Type)` or `(value, 'Type')`. */
function parseCast(reader: Reader): void {
  const outer = open(reader, 'arguments');
  expectKind(reader, '(');
  nest(reader, () => {
    reader.grammar.expression(reader, 'none');
    if (take(reader, 'AS')) parseType(reader);
    else if (takeKind(reader, ',')) reader.grammar.expression(reader, 'none');
  });
  expectKind(reader, ')');
  close(reader, outer);
}

/** `position(x IN y)`, where IN reads no table: both sides are values. */
function isStandardPosition(reader: Reader): boolean {
  const closing = beyond(reader) - 1;
  for (let ahead = 1; ahead < closing; ahead = beyond(reader, ahead)) {
    if (kind(reader, ahead) === ',') return false;
    if (word(reader, ahead) === 'IN') return true;
  }
  return false;
}

function parsePosition(reader: Reader): void {
  const outer = open(reader, 'arguments');
  expectKind(reader, '(');
  nest(reader, () => {
    reader.grammar.operand(reader);
    expectWord(reader, 'IN');
    reader.grammar.operand(reader);
  });
  expectKind(reader, ')');
  close(reader, outer);
}

/** `IGNORE NULLS`, `FILTER (WHERE …)`, `OVER …`. */
function parseAfterCall(reader: Reader): void {
  parseNulls(reader);
  if (word(reader) === 'FILTER' && kind(reader, 1) === '(') {
    const outer = open(reader, 'filter');
    skip(reader, 2);
    expectWord(reader, 'WHERE');
    nest(reader, () => reader.grammar.expression(reader, 'none'));
    expectKind(reader, ')');
    close(reader, outer);
  }
  parseNulls(reader);
  if (word(reader) !== 'OVER') return;
  const outer = open(reader, 'over');
  skip(reader);
  if (kind(reader) === '(') parseWindow(reader);
  else {
    if (name(reader) === undefined || isKeyword(reader)) fail(reader, 'Expected a window after OVER');
    if (reader.fault === undefined) reader.top.at = reader.at;
    skip(reader);
  }
  close(reader, outer);
}

function parseNulls(reader: Reader): void {
  if (!take(reader, 'IGNORE', 'NULLS')) take(reader, 'RESPECT', 'NULLS');
}

/** Arguments in standard SQL syntax: keywords between them, and keywords before the first. */
interface ArgumentForm {
  readonly separators: readonly string[];
  readonly prefixes: readonly string[];
}

const PLAIN: ArgumentForm = { separators: [], prefixes: ['DISTINCT'] };

export function parseArguments(
  reader: Reader,
  kindOf: 'arguments' | 'parameters',
  { separators, prefixes }: ArgumentForm = PLAIN,
): void {
  const outer = open(reader, kindOf);
  if (parseQueryArgument(reader)) {
    close(reader, outer);
    return;
  }
  expectKind(reader, '(');
  if (prefixes.some((each) => isKeywordBefore(reader, each))) {
    reader.top.at = reader.at;
    skip(reader);
  }
  listUntil(reader, ')', () => parseArgument(reader, separators));
  close(reader, outer);
}

function parseArgument(reader: Reader, separators: readonly string[]): void {
  if (parseLambda(reader)) return;
  reader.grammar.expression(reader, 'as');
  while (separators.some((each) => take(reader, each))) reader.grammar.expression(reader, 'none');
}

/** `x -> …` or `(x, y) -> …`, allowed only as an argument; nothing inside it may be given an alias. */
export function parseLambda(reader: Reader, alias: AliasForm = 'as'): boolean {
  const isBracketed = kind(reader) === '(';
  if (kind(reader, isBracketed ? beyond(reader) : 1) !== '->') return false;
  const outer = open(reader, 'lambda');
  if (isBracketed) {
    skip(reader);
    listUntil(reader, ')', () => parseParameter(reader));
  } else parseParameter(reader);
  if (reader.fault === undefined) reader.top.at = reader.at;
  expectKind(reader, '->');
  const { inLambda } = reader;
  reader.inLambda = true;
  nest(reader, () => reader.grammar.expression(reader, alias));
  reader.inLambda = inLambda;
  close(reader, outer);
  return true;
}

function parseParameter(reader: Reader): void {
  const outer = open(reader, 'parameter');
  newName(reader);
  close(reader, outer);
}
