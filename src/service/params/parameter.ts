// Compiles one declared parameter: its reader with all constraints, its default, its placeholder.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import { compileConstraints } from './constraints.ts';
import type { DeclaredParameter } from './declared.ts';
import { compileMoments, isExpression, type MomentReader } from './relative.ts';
import { failure, read } from './reading.ts';
import type { RawValue, ReadFailure, Reading, ReadValue, ValueReader } from './reading.ts';
import { isFailure, listedValues, parseParameterType, placeholderType, scalarOf } from './type.ts';
import { TYPE_LABELS } from './scalar.ts';
import type { ParameterType } from './type.ts';
import { valueReader } from './value.ts';

export const PARAMETER_CODES: Codes = {
  'parameter.type_unknown': {
    title: 'Unsupported parameter type',
    help: `Use ${TYPE_LABELS.join(', ')}; Nullable(…) or LowCardinality(…) of one; or Array(…), Tuple(…) or Map(…).`,
  },
  'parameter.array_optional': {
    title: 'An optional Array, Map or Tuple without a default',
    help: 'None of them can be null: set required: true, or a default such as [].',
  },
  'parameter.default_unused': {
    title: 'A required parameter with a default',
    help: 'The default is never used: remove either required or default.',
  },
  'parameter.range_empty': {
    title: 'Empty range',
    help: 'The minimum is greater than the maximum: swap them.',
  },
  'parameter.bound_invalid': {
    title: 'Invalid bound',
    help: 'min and max must be valid values of the type of the parameter.',
  },
  'parameter.constraint_misplaced': {
    title: 'A constraint that does not apply to the type',
    help: 'pattern and format apply to String, min and max to numbers and times, round and bound to dates and times, min_length and max_length to String, Array and Map, enum to single values and arrays of them.',
  },
  'parameter.pattern_invalid': {
    title: 'Invalid regular expression',
    help: 'Patterns use RE2 syntax, which has no look-around and no back-references.',
  },
  'parameter.enum_invalid': {
    title: 'Invalid enum value',
    help: 'Every value of enum must have the type of the parameter and satisfy its constraints.',
  },
  'parameter.enum_duplicate': {
    title: 'Duplicate enum value',
    help: 'Remove one.',
  },
};

/** A compiled parameter. */
export interface CompiledParameter {
  readonly name: string;
  /** As written in the endpoint file, in canonical form. */
  readonly type: ParameterType;
  /** The type in `{name:…}`: Nullable if the value may be null, times with a zone. */
  readonly placeholder: string;
  /** It is true if calls without it are rejected. */
  readonly required: boolean;
  /** The canonical value if absent: the default, or else null; also null if the default depends on the call. */
  readonly absent: string | null;
  /** The same, with its rank. */
  readonly literalDefault: ReadValue | undefined;
  /** It is true if its values are names of choices, which decide the text of the query. */
  readonly isChoice: boolean;
  /** The names of the choices; empty for other parameters. */
  readonly names: readonly string[];
  /** The canonical values of an `enum` or a type that lists them; undefined if there are more. */
  readonly listed: readonly string[] | undefined;
  /** Reads one value that does not depend on the call, including constraints; never called with null. */
  readonly read: (raw: Exclude<RawValue, null>) => Reading;
  /** Reads values that depend on the call; undefined for types other than dates and times. */
  readonly moments: MomentReader | undefined;
}

/** Returns whether a canonical value counts as given, for the optional parts of a query: not NULL, false, or an empty list or map. */
export function isGiven({ type }: Pick<CompiledParameter, 'type'>, text: string | null): boolean {
  if (text === null) return false;
  if (type.kind === 'scalar') return type.scalar.name !== 'Bool' || text === 'true';
  return text !== '[]' && text !== '{}';
}

/** The parameter, or the findings in its declaration. */
export type CompileResult =
  | { readonly parameter: CompiledParameter; readonly findings?: undefined }
  | { readonly findings: readonly PathFinding[]; readonly parameter?: undefined };

/**
 * Compiles a parameter that has passed schema validation. Everything that contradicts its type is returned as findings.
 */
export function compileParameter(name: string, spec: DeclaredParameter): CompileResult {
  const type = parseParameterType(spec.type);
  if (isFailure(type)) {
    return {
      findings: [{ path: ['type'], code: 'parameter.type_unknown', message: type.message, hint: type.hint }],
    };
  }
  const findings: PathFinding[] = [];
  const constraints = compileConstraints(spec, type, findings);
  const readAny = valueReader(type, constraints);
  const readValue = spec.multiple === true ? eachOnce(readAny) : readAny;
  const moments = compileMoments(spec, type, constraints, findings);
  const readDefault = moments === undefined ? readValue : literal(readValue);
  const literalDefault = absentValue(spec, type, readDefault, findings);
  if (findings.length > 0) return { findings };
  const required = spec.required === true;
  const absent = literalDefault?.text ?? null;
  const placeholder = placeholderType(type, !required && absent === null && moments?.fallback === undefined);
  const isChoice = spec.choices !== undefined;
  const names = Object.keys(spec.choices ?? {});
  const listed = type.kind === 'scalar' ? (listedTexts(spec, readAny) ?? valuesOfType(type)) : undefined;
  const reading = { absent, literalDefault, read: readValue, moments };
  return { parameter: { name, type, placeholder, required, isChoice, names, listed, ...reading } };
}

function valuesOfType(type: ParameterType): readonly string[] | undefined {
  return scalarOf(type)?.name === 'Bool' ? ['true', 'false'] : listedValues(type);
}

function listedTexts(
  { enum: values }: DeclaredParameter,
  readAny: ValueReader,
): readonly string[] | undefined {
  return values?.flatMap((value) => {
    const reading = readAny(value);
    return reading.kind === 'value' && reading.text !== null ? [reading.text] : [];
  });
}

function absentValue(
  spec: DeclaredParameter,
  type: ParameterType,
  readValue: (raw: NonNullable<RawValue>) => Reading | undefined,
  findings: PathFinding[],
): ReadValue | undefined {
  if (spec.default === undefined) {
    if (spec.choices !== undefined) return type.kind === 'array' ? read('[]') : undefined;
    if (type.kind !== 'scalar' && spec.required !== true) {
      const [noun, example] = ABSENT_STRUCTURES[type.kind];
      const message = `${noun} cannot be null: set required: true, or a default such as ${example}`;
      findings.push({ path: ['type'], code: 'parameter.array_optional', message });
    }
    return undefined;
  }
  if (spec.required === true) {
    const message = 'a required parameter never uses its default: remove one of the two';
    findings.push({ path: ['default'], code: 'parameter.default_unused', message });
  }
  const reading = readValue(spec.default);
  if (reading === undefined || reading.kind === 'value') return reading;
  findings.push(defaultFinding(spec, type, reading));
  return undefined;
}

/** The finding is at the element of a list that is invalid, with the nearest value that is allowed. */
function defaultFinding(
  { default: written, enum: allowed = [] }: DeclaredParameter,
  type: ParameterType,
  { message, element }: ReadFailure,
): PathFinding {
  const list = element === undefined || !Array.isArray(written) ? undefined : written;
  const value: unknown = list === undefined ? written : list[element ?? 0];
  const names = [...allowed, ...(listedValues(type) ?? [])].map(String);
  const hint = typeof value === 'string' ? didYouMean(nearest(value, names)) : undefined;
  return {
    path: ['default', ...(list === undefined || element === undefined ? [] : [element])],
    code: 'parameter.default_invalid',
    message: `the default ${message}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Reads nothing from expressions, which depend on the call. */
function literal(readValue: ValueReader): (raw: NonNullable<RawValue>) => Reading | undefined {
  return (raw) => (isExpression(raw) ? undefined : readValue(raw));
}

/** Names of choices: each at most once. */
function eachOnce(readValue: ValueReader): ValueReader {
  return (raw) => {
    const reading = readValue(raw);
    if (reading.kind === 'failure') return reading;
    const names = namesIn(reading.text);
    return new Set(names).size < names.length ? failure('must have each value at most once') : reading;
  };
}

/** The names of choices in the canonical text of a value: one, or a list of them. None contains a quote or a comma. */
export function namesIn(text: string): readonly string[] {
  if (!text.startsWith('[')) return [text];
  return text
    .slice(1, -1)
    .split(',')
    .filter((item) => item !== '')
    .map((item) => item.slice(1, -1));
}

const ABSENT_STRUCTURES = {
  array: ['an Array', '[]'],
  map: ['a Map', '{}'],
  tuple: ['a Tuple', '[a, 1]'],
} as const;
