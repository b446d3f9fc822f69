// Compiles one declared parameter: its reader with all constraints, its default, its placeholder.
import type { Parameter } from '../config/generated/endpoint.ts';
import { compileConstraints } from './constraints.ts';
import type { ParameterFinding } from './constraints.ts';
import { failure, read } from './reading.ts';
import type { RawScalar, RawValue, Reader, Reading } from './reading.ts';
import { DEFAULT_MAX_LENGTH } from './text.ts';
import { arrayText, parseParameterType, placeholderType } from './type.ts';
import type { ParameterType } from './type.ts';

/** A compiled parameter. */
export interface CompiledParameter {
  readonly name: string;
  /** The type as written in the endpoint file. */
  readonly type: string;
  /** The type in `{name:…}`: Nullable if the value may be null, times in UTC. */
  readonly placeholder: string;
  /** Whether calls without it are rejected. */
  readonly required: boolean;
  /** The canonical value if absent: the default, or else null. */
  readonly absent: string | null;
  /** Reads one value, including constraints; never called with null. */
  readonly read: (raw: Exclude<RawValue, null>) => Reading;
}

/** The parameter, or the findings in its declaration. */
export type CompileResult =
  | { readonly parameter: CompiledParameter; readonly findings?: undefined }
  | { readonly findings: readonly ParameterFinding[]; readonly parameter?: undefined };

/**
 * Compiles a parameter that has passed schema validation. Everything that contradicts its type is returned as findings.
 */
export function compileParameter(name: string, spec: Parameter): CompileResult {
  const type = parseParameterType(spec.type);
  if ('kind' in type) {
    return {
      findings: [{ path: ['type'], code: 'parameter.type_unknown', message: type.message, hint: type.hint }],
    };
  }
  const findings: ParameterFinding[] = [];
  const constrained = compileConstraints(spec, type, type.scalar.read, findings);
  const readValue = type.isArray ? arrayReader(type, spec, constrained) : rejectArrays(constrained);
  const absent = absentValue(spec, type, readValue, findings);
  if (findings.length > 0) return { findings };
  const required = spec.required === true;
  const placeholder = placeholderType(type, !required && absent === null);
  return { parameter: { name, type: type.name, placeholder, required, absent, read: readValue } };
}

function absentValue(
  spec: Parameter,
  type: ParameterType,
  readValue: CompiledParameter['read'],
  findings: ParameterFinding[],
): string | null {
  if (spec.default === undefined) {
    if (type.isArray && spec.required !== true) {
      const message = 'an Array cannot be null: set required: true, or a default such as []';
      findings.push({ path: ['type'], code: 'parameter.array_optional', message });
    }
    return null;
  }
  if (spec.required === true) {
    const message = 'a required parameter never uses its default: remove one of the two';
    findings.push({ path: ['default'], code: 'parameter.default_unused', message });
  }
  const reading = readValue(spec.default);
  if (reading.kind === 'value') return reading.text;
  findings.push({
    path: ['default'],
    code: 'parameter.default_invalid',
    message: `the default ${reading.message}`,
  });
  return null;
}

function rejectArrays(reader: Reader): CompiledParameter['read'] {
  return (raw) => (isScalar(raw) ? reader(raw) : failure('must be one value, not a list'));
}

function isScalar(raw: Exclude<RawValue, null>): raw is RawScalar {
  return typeof raw !== 'object';
}

/**
 * Arrays are lists (JSON bodies) or strings (URLs, forms): a JSON list if the string begins with `[`, otherwise
 * comma-separated values, taken literally.
 */
function arrayReader(type: ParameterType, spec: Parameter, reader: Reader): CompiledParameter['read'] {
  const [min, max] = [spec.min_length ?? 0, spec.max_length ?? DEFAULT_MAX_LENGTH];
  return (raw) => {
    const elements = isScalar(raw) ? splitElements(raw) : raw;
    if (elements === undefined) return failure('must be a list: a,b or the JSON array ["a","b"]');
    if (elements.length > max) return failure(`must have at most ${max} elements`);
    if (elements.length < min) return failure(`must have at least ${min} elements`);
    const texts: string[] = [];
    for (const [index, element] of elements.entries()) {
      const reading = reader(element);
      if (reading.kind === 'failure') return failure(`${reading.message} (element ${index + 1})`);
      texts.push(reading.text);
    }
    return read(arrayText(type.scalar, texts));
  };
}

function splitElements(raw: RawScalar): readonly RawScalar[] | undefined {
  if (typeof raw !== 'string') return undefined;
  return raw.startsWith('[') ? parseList(raw) : raw.split(',');
}

function parseList(text: string): readonly RawScalar[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isRawScalar) ? list : undefined;
  } catch {
    // Not JSON: the error message shows the accepted forms.
    return undefined;
  }
}

function isRawScalar(value: unknown): value is RawScalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
