// Constraints on a parameter beyond its type: enum, pattern, min and max, lengths. Checked against the type when
// compiled.
import type { Parameter } from '../config/generated/endpoint.ts';
import { compileWholeMatch, regexError } from '../sql/regex.ts';
import { failure } from './reading.ts';
import type { Reader, Reading, ReadValue } from './reading.ts';
import { DEFAULT_MAX_LENGTH } from './text.ts';
import type { ParameterType } from './type.ts';

/** An error in a parameter's declaration, at a path relative to it. */
export interface ParameterFinding {
  readonly path: readonly (string | number)[];
  /** `parameter.reason`, stable. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** A further test of a parsed value: undefined if it passes, else an error message. */
type Check = (value: ReadValue) => string | undefined;

/** The reader of a scalar with the declared constraints. For an Array they apply to each element. */
export function compileConstraints(
  spec: Parameter,
  type: ParameterType,
  reader: Reader,
  findings: ParameterFinding[],
): Reader {
  const checks = [
    lengthCheck(spec, type, findings),
    patternCheck(spec, type, findings),
    formatCheck(spec, type, findings),
    boundCheck(spec, type, reader, findings),
    enumCheck(spec, reader, findings),
  ].filter((check) => check !== undefined);
  return (raw) => {
    const reading = reader(raw);
    if (reading.kind === 'failure') return reading;
    for (const check of checks) {
      const message = check(reading);
      if (message !== undefined) return failure(message);
    }
    return reading;
  };
}

/**
 * Lengths of a String count characters. Those of an Array count its elements, and its strings have the default limit.
 */
function lengthCheck(spec: Parameter, type: ParameterType, findings: ParameterFinding[]): Check | undefined {
  const countsCharacters = isText(type);
  if (spec.min_length !== undefined && spec.min_length > (spec.max_length ?? DEFAULT_MAX_LENGTH)) {
    findings.push(finding('min_length', 'range_empty', 'min_length is greater than max_length'));
  }
  if (!countsCharacters && !type.isArray) {
    for (const key of ['min_length', 'max_length'] as const) {
      if (spec[key] !== undefined) findings.push(misplaced(key, type, 'a String or an Array'));
    }
  }
  if (!countsCharacters) return undefined;
  const min = (type.isArray ? undefined : spec.min_length) ?? 0;
  const max = (type.isArray ? undefined : spec.max_length) ?? DEFAULT_MAX_LENGTH;
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

function patternCheck(spec: Parameter, type: ParameterType, findings: ParameterFinding[]): Check | undefined {
  if (spec.pattern === undefined) return undefined;
  if (!isText(type)) {
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

function isText({ scalar }: ParameterType): boolean {
  return scalar.constraints === 'text';
}

/** Compiling a longer expression would block other requests: 1,000 characters take up to 8 ms. */
const MAX_REGEX_LENGTH = 1000;

function formatCheck(spec: Parameter, type: ParameterType, findings: ParameterFinding[]): Check | undefined {
  if (spec.format === undefined) return undefined;
  if (!isText(type)) {
    findings.push(misplaced('format', type, 'a String'));
    return undefined;
  }
  return ({ text }) => {
    if (text.length > MAX_REGEX_LENGTH) return `must have at most ${MAX_REGEX_LENGTH} characters`;
    const fault = regexError(text);
    return fault && `must be a valid regular expression: ${fault}`;
  };
}

function boundCheck(
  spec: Parameter,
  type: ParameterType,
  reader: Reader,
  findings: ParameterFinding[],
): Check | undefined {
  const [min, max] = (['min', 'max'] as const).map((key) => {
    if (spec[key] === undefined) return undefined;
    const reading =
      type.scalar.constraints === 'order'
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
    if (min?.rank !== undefined && rank < min.rank) return `must be at least ${min.text}`;
    return max?.rank !== undefined && rank > max.rank ? `must be at most ${max.text}` : undefined;
  };
}

function readBound(key: 'min' | 'max', reading: Reading): ReadValue | ParameterFinding {
  return reading.kind === 'value' ? reading : finding(key, 'bound_invalid', `${key} ${reading.message}`);
}

function enumCheck(spec: Parameter, reader: Reader, findings: ParameterFinding[]): Check | undefined {
  if (spec.enum === undefined) return undefined;
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
  const message = `must be one of ${[...allowed].join(', ')}`;
  return ({ text }) => (allowed.has(text) ? undefined : message);
}

function finding(key: string, reason: string, message: string): ParameterFinding {
  return { path: [key], code: `parameter.${reason}`, message };
}

function misplaced(key: keyof Parameter, type: ParameterType, applicable: string): ParameterFinding {
  return finding(
    key,
    'constraint_misplaced',
    `${key} applies to ${applicable}, but the type is ${type.name}`,
  );
}
