// Reads the arguments of the query tools. Wrong ones are a Problem that names each.
import { nearest, withSuggestion } from '../../../../sql/base/nearest.ts';
import { Problem, type ProblemDetail } from '../../../../sql/base/problem.ts';
import { isRawRecord, isRawValue, type RawValue } from '../../../params/reading.ts';

/** Arguments by name; absent, empty and null ones are undefined. */
export interface QueryArguments {
  readonly endpoint: string | undefined;
  readonly table: string | undefined;
  readonly path: string | undefined;
  readonly sql: string | undefined;
  readonly lql: string | undefined;
  readonly dialect: string | undefined;
  readonly format: string | undefined;
  /** Where an export is kept. */
  readonly to: string | undefined;
  /** Of an export. */
  readonly id: string | undefined;
  readonly maxRows: number | undefined;
  /** Parameters of the endpoint. */
  readonly parameters: ReadonlyMap<string, RawValue>;
}

const TEXTS = ['endpoint', 'table', 'path', 'sql', 'lql', 'dialect', 'format', 'to', 'id'] as const;

/** Of the API, and no parameters of endpoints. */
const RESERVED: ReadonlySet<string> = new Set(['sql', 'lql', 'dialect', 'format']);
const MAX_PARAMETERS = 200;

/** `allowed` are the names of the tool's arguments. Throws Problem `request.parameters_invalid`. */
export function readArguments(
  args: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): QueryArguments {
  const errors: ProblemDetail[] = unknownArguments(args, allowed);
  const text = (name: (typeof TEXTS)[number]): string | undefined => {
    const value = args[name] ?? '';
    if (typeof value === 'string') return value === '' ? undefined : value;
    errors.push({ parameter: name, message: 'must be a string' });
    return undefined;
  };
  const [endpoint, table, path, sql, lql, dialect, format, to, id] = TEXTS.map(text);
  const maxRows = readMaxRows(args['max_rows'], errors);
  const parameters = readParameters(args['parameters'], errors);
  if (errors.length > 0) throw new Problem('request.parameters_invalid', { errors });
  return { endpoint, table, path, sql, lql, dialect, format, to, id, maxRows, parameters };
}

function unknownArguments(
  args: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): ProblemDetail[] {
  const unknown = Object.keys(args).filter((name) => !allowed.includes(name));
  return unknown.slice(0, 10).map((name) => ({
    parameter: name.slice(0, 100),
    message: withSuggestion(
      `is not an argument of this tool, which has ${allowed.join(', ')}; parameters of the endpoint are members of parameters`,
      nearest(name, allowed),
    ),
  }));
}

function readMaxRows(value: unknown, errors: ProblemDetail[]): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
  errors.push({ parameter: 'max_rows', message: 'must be an integer of at least 1' });
  return undefined;
}

function readParameters(value: unknown, errors: ProblemDetail[]): ReadonlyMap<string, RawValue> {
  if (value === undefined || value === null) return new Map();
  if (!isRawRecord(value) || Object.keys(value).length > MAX_PARAMETERS) {
    errors.push({
      parameter: 'parameters',
      message: 'must be an object with the parameters of the endpoint, by name',
    });
    return new Map();
  }
  const read = Object.entries(value).flatMap(([name, each]): [string, RawValue][] =>
    isRawValue(each) ? [[name, each]] : [],
  );
  for (const [name] of read) {
    if (RESERVED.has(name))
      errors.push({ parameter: name, message: 'is no parameter of an endpoint: send it beside parameters' });
  }
  return new Map(read);
}

/** The fields of a call with these parameters and others. */
export function fieldsOf(
  parameters: ReadonlyMap<string, RawValue>,
  others: readonly (readonly [string, string | undefined])[],
): ReadonlyMap<string, readonly RawValue[]> {
  const sent = others.flatMap(([name, value]): [string, RawValue][] =>
    value === undefined ? [] : [[name, value]],
  );
  return new Map([...parameters, ...sent].map(([name, value]) => [name, [value]]));
}
