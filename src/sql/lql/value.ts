// Parses the value of a field filter: null, a boolean, a number, a time, text, or a range of one kind.
import { nearest } from '../base/nearest.ts';
import { isFault, suggestion, type Fault } from './finding.ts';
import { isTimeShaped, parseTimeRange } from './time-literal.ts';
import { LEVELS, type FieldValue, type Operator, type FieldPath } from './tree.ts';

const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** Digits that a 256-bit decimal compares exactly, with a safety margin. */
const MAX_DIGITS = 38;
// What the end of a range looks like. `/a/../b` and `wait...` are text; `a..b` is an invalid range.
const SCALAR = /^[+-]?\w(?:[\w.:+-]*\w)?$/;

/** Interprets a whole bare value after this operator. */
export function bareValue(text: string, operator: Operator, path: FieldPath): FieldValue | Fault {
  if (text === 'NULL') return operator === ':' ? { kind: 'null' } : unsuitable('NULL');
  if (operator === ':~' || operator === ':@>~') return { kind: 'text', text };
  if (text === 'true' || text === 'false') {
    if (operator !== ':' && operator !== ':@>') return unsuitable(text);
    return { kind: 'boolean', value: text === 'true' };
  }
  return listFault(text, operator) ?? rangeValue(text, operator, path) ?? scalarValue(text);
}

/** Values with | between them, without the parentheses. `/a|b` and `a||b` are text. */
function listFault(text: string, operator: Operator): Fault | undefined {
  const values = text.split('|');
  if (values.length < 2 || !values.every((each) => SCALAR.test(each))) return undefined;
  return {
    code: 'lql.value_invalid',
    message: 'several values are in parentheses',
    hint:
      operator === ':' || operator === ':@>'
        ? `write (${text}); to match the literal text, write "${text}"`
        : `to match the literal text, write "${text}"`,
  };
}

function scalarValue(text: string): FieldValue | Fault {
  const kind = scalarKind(text);
  if (kind === undefined) return { kind: 'text', text };
  return kind === 'number' && digitCount(text) > MAX_DIGITS ? tooLong() : { kind, text };
}

function scalarKind(text: string): 'number' | 'time' | undefined {
  if (NUMBER.test(text)) return 'number';
  return isTimeShaped(text) ? 'time' : undefined;
}

/** Undefined if the text is not a range and does not look like one was intended. */
function rangeValue(text: string, operator: Operator, path: FieldPath): FieldValue | Fault | undefined {
  const dots = text.indexOf('..');
  if (dots < 0) return undefined;
  const from = text.slice(0, dots);
  const to = text.slice(dots + 2);
  const kinds = [scalarKind(from), scalarKind(to)];
  const meant = kinds.some((kind) => kind !== undefined) || (SCALAR.test(from) && SCALAR.test(to));
  if (!meant) return undefined;
  if (operator !== ':') return unsuitable('a range');
  const [kind, other] = kinds;
  if (kind !== undefined && kind === other) return orderedRange(kind, from, to);
  return kinds.every((k) => k === undefined) && isLevelPath(path)
    ? levelRange(from, to)
    : mixedRange(from, to);
}

function orderedRange(of: 'number' | 'time', from: string, to: string): FieldValue | Fault {
  if (of === 'time') {
    const range = parseTimeRange(from, to);
    return isFault(range) ? range : { kind: 'range', of, from, to };
  }
  if (digitCount(from) > MAX_DIGITS || digitCount(to) > MAX_DIGITS) return tooLong();
  return Number(from) > Number(to) ? reversed(from, to) : { kind: 'range', of, from, to };
}

/** The level path is the only one whose values have their own order. */
function isLevelPath({ segments }: FieldPath): boolean {
  return segments.length === 2 && segments[0] === 'metadata' && segments[1] === 'level';
}

function levelRange(from: string, to: string): FieldValue | Fault {
  const order: readonly string[] = LEVELS;
  const unknown = [from, to].find((level) => !order.includes(level));
  if (unknown !== undefined) {
    return {
      code: 'lql.range_invalid',
      message: `there is no level ${unknown}`,
      hint: suggestion(nearest(unknown, LEVELS), LEVELS),
    };
  }
  return order.indexOf(from) > order.indexOf(to)
    ? reversed(from, to)
    : { kind: 'range', of: 'level', from, to };
}

function digitCount(number: string): number {
  return number.replace(/\D/g, '').length;
}

function unsuitable(what: string): Fault {
  return {
    code: 'lql.operator_invalid',
    message: `${what} requires the operator :`,
    hint: 'to match it as literal text, put it in double quotes',
  };
}

function tooLong(): Fault {
  return {
    code: 'lql.value_invalid',
    message: `a number has at most ${MAX_DIGITS} digits`,
    hint: 'to compare it as a string, put it in double quotes',
  };
}

function reversed(from: string, to: string): Fault {
  return {
    code: 'lql.range_invalid',
    message: 'this range ends before it begins',
    hint: `did you mean ${to}..${from}?`,
  };
}

function mixedRange(from: string, to: string): Fault {
  const missing = from === '' || to === '';
  return {
    code: 'lql.range_invalid',
    message: missing
      ? 'this range has only one end'
      : 'a range is between two numbers or two times, and for metadata.level between two levels',
    hint: missing ? 'use :>= or :<= for one end' : `to match the literal text, write "${from}..${to}"`,
  };
}

/** `test` is null or false if the filter does not match; `missing` is true if the row has no value to test. */
export interface Condition {
  readonly test: string;
  readonly missing: string;
}
