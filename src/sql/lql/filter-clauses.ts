// Parses the clauses that filter rows: timestamps, fields, and message terms and patterns.
import { isFault, type Fault } from './finding.ts';
import { foreignSyntax } from './foreign-operators.ts';
import { PARENTHESIS_UNCLOSED, type WrittenValue, readGroup } from './group.ts';
import { type ReadUpTo, isWhite } from './source.ts';
import { type ClauseContext, PATH_SOURCE, readPath } from './clause-context.ts';
import type { TimeValue } from './time.ts';
import { parseTimeValue } from './time-literal.ts';
import type { Clause, Comparison, LocatedValue, Operator, FieldPath } from './tree.ts';
import { bareValue } from './value.ts';

const OPERATOR = /:(?:>=|<=|>|<|~|@>~|@>)?/y;
const TIMESTAMP = /(?:timestamp|t)(?=:)/y;
/** Cannot start a value because it reads as a second operator. */
const DOUBLED = /[:<>=~][:<>=~@]*|@>~?/y;
const DOUBLED_REGEX = /~+/y;
const PARENTHESISED = /\(([^)]*)\)/y;
const FIELD = new RegExp(`${PATH_SOURCE}(?=:)`, 'y');
const BROKEN_FIELD = /(?:m|metadata)\.[^\s"]*?:/y;

/** `t:` or `timestamp:`, an operator and a time. */
export function readTimestamp(context: ClauseContext): ReadUpTo<Clause> | undefined {
  const { source, body } = context;
  const keyword = source.match(TIMESTAMP, body);
  if (keyword === undefined) return undefined;
  const path: FieldPath = { segments: ['timestamp'], span: { start: body, end: body + keyword[0].length } };
  const operator = readOperator(context, path.span.end);
  if (operator === undefined) return undefined;
  const start = operator.end;
  const wrong = valueFault(context, operator);
  if (wrong !== undefined) return wrong;
  if (!isComparison(operator.value))
    return source.fail({ start: path.span.end, end: start }, NO_TIME_OPERATOR);
  const end = source.bareEnd(start);
  const value = parseTimeValue(source.text.slice(start, end));
  if (isFault(value)) return source.fail({ start, end: Math.max(end, start + 1) }, value);
  if (operator.value !== ':' && !isPoint(value)) return source.fail({ start, end }, STRETCH_COMPARED);
  const { negated } = context;
  const span = { start: context.start, end };
  const valueSpan = { start, end };
  return {
    end,
    value: { kind: 'timestamp', negated, path, operator: operator.value, value, valueSpan, span },
  };
}

/** A path, an operator and a value. */
export function readField(context: ClauseContext): ReadUpTo<Clause> | undefined {
  if (context.source.match(FIELD, context.body) === undefined) return undefined;
  const path = readPath(context.source, context.body);
  const operator = path && readOperator(context, path.span.end);
  if (path === undefined || operator === undefined) return undefined;
  const { end, value: values } = valueFault(context, operator) ?? readValues(context, operator, path);
  if (values === undefined) return { end };
  const { negated } = context;
  const span = { start: context.start, end };
  return { end, value: { kind: 'field', negated, path, operator: operator.value, values, span } };
}

/** Anything else: a term, or a regular expression after `~`. */
export function readMessage(context: ClauseContext): ReadUpTo<Clause> {
  const { source, body, negated } = context;
  const broken = source.match(BROKEN_FIELD, body);
  if (broken !== undefined) return source.fail({ start: body, end: body + broken[0].length }, PATH_INVALID);
  const regex = source.text[body] === '~';
  const start = regex ? body + 1 : body;
  const doubled = regex ? source.match(DOUBLED_REGEX, start) : undefined;
  if (doubled !== undefined) return source.fail({ start, end: start + doubled[0].length }, OPERATOR_DOUBLED);
  const quoted = source.text[start] === '"';
  const bareEnd = source.bareEnd(start);
  if (!quoted && bareEnd === start) return source.fail({ start, end: start }, emptyTerm(regex));
  const foreign = quoted || regex ? undefined : foreignSyntax(source.text.slice(start, bareEnd));
  if (foreign !== undefined && !(foreign.isClosing && source.findings.length > 0)) {
    const { span, fault } = foreign;
    return source.fail({ start: start + span.start, end: start + span.end }, fault);
  }
  const { end, value } = quoted ? source.quoted(start) : { end: bareEnd, value: source.bare(start, bareEnd) };
  if (value === undefined) return { end };
  const word = { text: value, span: { start, end } };
  const match = regex ? 'regex' : 'contains';
  return {
    end,
    value: { kind: 'message', negated, match, value: word, span: { start: context.start, end } },
  };
}

interface OperatorReading {
  readonly end: number;
  readonly value: Operator;
}

function readOperator({ source }: ClauseContext, at: number): OperatorReading | undefined {
  const text = source.match(OPERATOR, at)?.[0];
  // The pattern matches exactly the operators.
  return text === undefined ? undefined : { end: at + text.length, value: text as Operator };
}

/** Reports a missing value, or one that starts like another operator. */
function valueFault(
  { source }: ClauseContext,
  { end: start, value }: OperatorReading,
): ReadUpTo<never> | undefined {
  const next = source.text.charAt(start);
  if (next === '' || isWhite(next)) return source.fail({ start, end: start }, valueMissing(value));
  const isRegex = value === ':~' || value === ':@>~';
  const doubled = source.match(isRegex ? DOUBLED_REGEX : DOUBLED, start);
  if (doubled === undefined) return undefined;
  return source.fail({ start, end: start + doubled[0].length }, OPERATOR_DOUBLED);
}

function readValues(
  context: ClauseContext,
  operator: OperatorReading,
  path: FieldPath,
): ReadUpTo<readonly LocatedValue[]> {
  const { source } = context;
  const start = operator.end;
  const opening = source.text[start];
  if (opening === '"') return oneText(start, source.quoted(start));
  const isRegex = operator.value === ':~' || operator.value === ':@>~';
  if (opening === '(' && isRegex) {
    const inside = readParenthesised(context, start);
    if (inside !== undefined) return oneText(start, inside);
  }
  const group = opening === '(' && !isRegex ? readGroup(source, start) : undefined;
  if (group !== undefined) return groupReading(context, group, { operator, path });
  const end = source.bareEnd(start);
  const value = bareValue(source.bare(start, end), operator.value, path);
  const span = { start, end };
  return isFault(value) ? source.fail(span, value) : { end, value: [{ value, span }] };
}

function groupReading(
  { source }: ClauseContext,
  { end, value: pieces = [] }: ReadUpTo<readonly WrittenValue[]>,
  { operator, path }: { readonly operator: OperatorReading; readonly path: FieldPath },
): ReadUpTo<readonly LocatedValue[]> {
  const isSeveral = pieces.length > 1;
  if (isSeveral && operator.value !== ':' && operator.value !== ':@>') {
    source.report({ start: operator.end, end }, SEVERAL_COMPARED);
    return { end };
  }
  const values = pieces.map(({ text, isText, span }) => {
    const value = isText ? ({ kind: 'text', text } as const) : bareValue(text, operator.value, path);
    if (isFault(value)) source.report(span, value);
    return { value, span };
  });
  const valid = values.flatMap(({ value, span }) => (isFault(value) ? [] : [{ value, span }]));
  return valid.length < Math.max(1, pieces.length) ? { end } : { end, value: valid };
}

/** A regular expression in parentheses. Undefined if more characters follow directly, as in `(?i)panic`: then it is one bare value. */
function readParenthesised({ source }: ClauseContext, start: number): ReadUpTo<string> | undefined {
  const match = source.match(PARENTHESISED, start);
  if (match === undefined) {
    const end = source.text.length;
    source.report({ start, end }, PARENTHESIS_UNCLOSED);
    return { end };
  }
  const end = start + match[0].length;
  const next = source.text.charAt(end);
  if (next === '' || isWhite(next)) return { end, value: match[1] ?? '' };
  return source.bareEnd(start) > end ? undefined : { end, value: match[1] ?? '' };
}

function oneText(start: number, { end, value }: ReadUpTo<string>): ReadUpTo<readonly LocatedValue[]> {
  if (value === undefined) return { end };
  return { end, value: [{ value: { kind: 'text', text: value }, span: { start, end } }] };
}

/** Returns whether a time is comparable as a point: a day, `today` and `yesterday` mean their midnight. */
function isPoint({ kind }: TimeValue): boolean {
  return kind !== 'range' && kind !== 'this' && kind !== 'last';
}

function isComparison(operator: Operator): operator is Comparison {
  return operator !== ':~' && operator !== ':@>' && operator !== ':@>~';
}

function valueMissing(operator: Operator): Fault {
  return {
    code: 'lql.value_missing',
    message: `a value is missing after ${operator}`,
    hint: 'write "" for an empty string and NULL for no value, without a space before it',
  };
}

function emptyTerm(regex: boolean): Fault {
  return {
    code: 'lql.value_missing',
    message: regex ? 'a regular expression is missing after ~' : 'a filter is missing after -',
    hint: `to search for the character, put it in double quotes: "${regex ? '~' : '-'}"`,
  };
}

const NO_TIME_OPERATOR: Fault = {
  code: 'lql.operator_invalid',
  message: 'a timestamp accepts :, :>, :>=, :< or :<=',
  hint: 'such as t:>2024-01-01',
};

const STRETCH_COMPARED: Fault = {
  code: 'lql.operator_invalid',
  message: 'a time range requires the operator :',
  hint: 'compare with a single time, or remove the comparison',
};

const OPERATOR_DOUBLED: Fault = {
  code: 'lql.operator_repeated',
  message: 'expected a value, but found a second operator',
  hint: 'if the value starts with an operator, put it in double quotes',
};

const SEVERAL_COMPARED: Fault = {
  code: 'lql.operator_invalid',
  message: 'several values require the operator : or :@>',
  hint: 'compare with one value; for one of several regular expressions, write a|b in one',
};

const PATH_INVALID: Fault = {
  code: 'lql.path_invalid',
  message: 'a path consists of letters, digits and _, separated by single dots',
  hint: 'put a name with other characters in double quotes, as in m."user-agent":curl; to search for all of it in the message, put all of it in double quotes',
};
