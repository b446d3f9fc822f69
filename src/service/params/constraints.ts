// Constraints on a parameter beyond its type: enum, pattern, min and max, lengths. Checked against the type when
// compiled.
import type { PathFinding } from '../../sql/base/finding.ts';
import type { Parameter } from '../config/generated/endpoint.ts';
import type { DeclaredParameter } from './declared.ts';
import { compileWholeMatch, MAX_PROGRAM_SIZE, programSize, regexError } from '../../sql/clickhouse/regex.ts';
import { failure } from './reading.ts';
import type { ScalarReader, Reading, ReadValue } from './reading.ts';
import { DEFAULT_MAX_LENGTH } from './text.ts';
import type { ScalarType } from './scalar.ts';
import { scalarOf, type ParameterType } from './type.ts';
import type { ValueOptions } from './value.ts';

export interface CompiledConstraints extends ValueOptions {
  /** The value if it satisfies the constraints. */
  readonly accept: (reading: Reading) => Reading;
}

/** A further test of a parsed value: undefined if it passes, else an error message. */
type Check = (value: ReadValue) => string | undefined;

/**
 * The reader of single values with the declared constraints, and the bounds on the number of elements. In an Array of single
 * values, constraints apply to each.
 */
export function compileConstraints(
  spec: DeclaredParameter,
  type: ParameterType,
  findings: PathFinding[],
): CompiledConstraints {
  const scalar = scalarOf(type);
  const reader: ScalarReader = scalar?.read ?? (() => failure('must be one value'));
  const declared: Declared = { spec, type, scalar, findings };
  const checks = [
    lengthCheck(declared),
    patternCheck(declared),
    boundCheck(declared, reader),
    enumCheck(declared, reader),
  ].filter((check) => check !== undefined);
  const startFormat = formatCheck(declared);
  const accept = accepting(checks);
  const readScalar: ScalarReader = (raw) => accept(reader(raw));
  return {
    count: type.kind === 'scalar' ? {} : { min: spec.min_length, max: spec.max_length },
    startScalars: () => {
      if (startFormat === undefined) return readScalar;
      const acceptFormat = accepting([startFormat()]);
      return (raw) => acceptFormat(readScalar(raw));
    },
    accept,
  };
}

function accepting(checks: readonly Check[]): (reading: Reading) => Reading {
  return (reading) => {
    if (reading.kind === 'failure') return reading;
    for (const check of checks) {
      const message = check(reading);
      if (message !== undefined) return failure(message);
    }
    return reading;
  };
}

/** A declaration; `scalar` is the type of its single values, if it has any. */
interface Declared {
  readonly spec: DeclaredParameter;
  readonly type: ParameterType;
  readonly scalar: ScalarType | undefined;
  readonly findings: PathFinding[];
}

/**
 * Lengths of a String count characters. Those of an Array count its elements, and its strings have the default limit.
 */
function lengthCheck({ spec, type, scalar, findings }: Declared): Check | undefined {
  if (spec.min_length !== undefined && spec.min_length > (spec.max_length ?? DEFAULT_MAX_LENGTH)) {
    findings.push(finding('min_length', 'range_empty', 'min_length is greater than max_length'));
  }
  const countsElements = type.kind === 'array' || type.kind === 'map';
  if (scalar?.constraints !== 'text') {
    for (const key of ['min_length', 'max_length'] as const) {
      if (spec[key] !== undefined && !countsElements)
        findings.push(misplaced(key, type, 'a String, an Array or a Map'));
    }
    return undefined;
  }
  const min = (countsElements ? undefined : spec.min_length) ?? 0;
  const max = (countsElements ? undefined : spec.max_length) ?? DEFAULT_MAX_LENGTH;
  return ({ text }) => {
    // A character has at most two code units, so most strings need no counting.
    const length =
      text.length <= max && text.length >= min * 2 ? text.length : countCharacters(text, max * 2);
    if (length > max) return `must have at most ${max} characters`;
    return length < min ? `must have at least ${min} characters` : undefined;
  };
}

function countCharacters(text: string, giveUp: number): number {
  if (text.length > giveUp) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function patternCheck({ spec, type, scalar, findings }: Declared): Check | undefined {
  if (spec.pattern === undefined) return undefined;
  if (scalar?.constraints !== 'text') {
    findings.push(misplaced('pattern', type, 'a String'));
    return undefined;
  }
  const fault = regexError(spec.pattern);
  if (fault !== undefined) {
    findings.push({
      ...finding('pattern', 'pattern_invalid', `invalid regular expression: ${fault}`),
      hint: 'RE2 does not support look-around or back-references',
    });
    return undefined;
  }
  const matches = compileWholeMatch(spec.pattern);
  const message = `must match ${spec.pattern}`;
  return ({ text }) => (matches(text) ? undefined : message);
}

const MAX_REGEX_LENGTH = 1000;
const TOO_LARGE = `must be a smaller regular expression: with its repetitions written out, it has more than ${MAX_PROGRAM_SIZE} steps`;

/** Starts the checks of one value. All elements of a list share the steps that may be compiled: doing so blocks other requests. */
function formatCheck({ spec, type, scalar, findings }: Declared): (() => Check) | undefined {
  if (spec.format === undefined) return undefined;
  if (scalar?.constraints !== 'text') {
    findings.push(misplaced('format', type, 'a String'));
    return undefined;
  }
  return () => {
    let left = MAX_PROGRAM_SIZE;
    return ({ text }) => {
      if (text.length > MAX_REGEX_LENGTH) return `must have at most ${MAX_REGEX_LENGTH} characters`;
      left -= programSize(text);
      if (left < 0) return TOO_LARGE;
      const fault = regexError(text);
      return fault && `must be a valid regular expression: ${fault}`;
    };
  };
}

function boundCheck({ spec, type, scalar, findings }: Declared, reader: ScalarReader): Check | undefined {
  const [min, max] = (['min', 'max'] as const).map((key) => {
    if (spec[key] === undefined) return undefined;
    const reading =
      scalar?.constraints === 'order'
        ? readBound(key, reader(spec[key]))
        : misplaced(key, type, 'a number, date or time');
    if (!('code' in reading)) return reading;
    findings.push(reading);
    return undefined;
  });
  if (min === undefined && max === undefined) return undefined;
  if (min?.rank !== undefined && max?.rank !== undefined && min.rank > max.rank) {
    findings.push(finding('min', 'range_empty', 'min is greater than max'));
  }
  return ({ rank }) => {
    if (rank === undefined) return undefined;
    if (min?.rank !== undefined && rank < min.rank) return `must be at least ${spec.min}`;
    return max?.rank !== undefined && rank > max.rank ? `must be at most ${spec.max}` : undefined;
  };
}

function readBound(key: 'min' | 'max', reading: Reading): ReadValue | PathFinding {
  return reading.kind === 'value' ? reading : finding(key, 'bound_invalid', `${key} ${reading.message}`);
}

function enumCheck({ spec, type, scalar, findings }: Declared, reader: ScalarReader): Check | undefined {
  if (spec.enum === undefined) return undefined;
  if (scalar === undefined) {
    findings.push(misplaced('enum', type, 'single values and arrays of them'));
    return undefined;
  }
  const allowed = new Set<string>();
  for (const [index, value] of spec.enum.entries()) {
    const reading = reader(value);
    if (reading.kind === 'failure') {
      findings.push({
        ...finding('enum', 'enum_invalid', `this value ${reading.message}`),
        path: ['enum', index],
      });
    } else if (allowed.has(reading.text)) {
      findings.push({
        ...finding('enum', 'enum_duplicate', 'duplicate value'),
        path: ['enum', index],
      });
    } else allowed.add(reading.text);
  }
  const message = `must be one of ${spec.enum.join(', ')}`;
  return ({ text }) => (allowed.has(text) ? undefined : message);
}

function finding(key: string, reason: string, message: string): PathFinding {
  return { path: [key], code: `parameter.${reason}`, message };
}

/** A key that does not apply to the type. */
export function misplaced(key: keyof Parameter, type: ParameterType, applicable: string): PathFinding {
  return finding(
    key,
    'constraint_misplaced',
    `${key} applies to ${applicable}, but the type is ${type.name}`,
  );
}
