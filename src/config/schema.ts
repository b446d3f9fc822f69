// Documents held against their JSON Schema: ajv's errors become findings at a line and column, with the nearest spelling.
import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Diagnostic } from '../core/diagnostic.ts';
import { nearest } from '../core/nearest.ts';
import type { Path, YamlDocument } from './yaml-document.ts';

export type SchemaName = 'endpoint' | 'tokens' | 'settings';

/** Checks a document against one schema; no findings mean that its value has the type generated from that schema. */
export type SchemaCheck = (document: YamlDocument) => readonly Diagnostic[];

/** One finding about a plain value, before it has a place. */
export interface SchemaFinding {
  readonly path: Path;
  readonly onKey: boolean;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The schema as committed under `schemas/`. */
export function readSchema(name: SchemaName): Record<string, unknown> {
  const text = readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8');
  const schema: unknown = JSON.parse(text);
  return schema as Record<string, unknown>; // our own file: an object, compiled in strict mode below
}

/** Compiles a schema once; the result is used for every document of its kind. */
export function createSchemaCheck(name: SchemaName): SchemaCheck {
  const check = createValueCheck(name);
  return (document) =>
    check(document.value).map(({ path, onKey, code, message, hint }) => ({
      file: document.file,
      ...(onKey ? document.locateKey(path) : document.locate(path)),
      severity: 'error',
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
    }));
}

/**
 * The same for plain values that come from no document, such as environment variables; with `part`, against one of the
 * schema's definitions.
 */
export function createValueCheck(
  name: SchemaName,
  part?: string,
): (value: unknown) => readonly SchemaFinding[] {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    verbose: true,
    validateSchema: false, // the tests do: it would take as long as compiling does
    meta: false,
  });
  for (const keyword of ['x-env', 'x-secret']) ajv.addKeyword(keyword);
  ajvFormats.default(ajv, ['uuid', 'date-time']);
  const schema = readSchema(name);
  const chosen = part === undefined ? schema : { $defs: schema['$defs'], $ref: `#/$defs/${part}` };
  const validate: ValidateFunction = ajv.compile(chosen);
  return (value) => (validate(value) ? [] : relevant(validate.errors ?? []).map(toFinding));
}

/**
 * Of a failed oneOf keeps the errors of the branches that the value's own type chose; of everything else the error
 * itself. `propertyNames` errors say the same as the error of the name.
 */
function relevant(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter((error) => error.keyword === 'oneOf');
  const wrongBranch = (error: ErrorObject): boolean =>
    choices.some((choice) => branchOf(error, choice) !== undefined && branchExcluded(errors, choice, error));
  const isExplained = (choice: ErrorObject): boolean =>
    errors.some((error) => branchOf(error, choice) !== undefined && !wrongBranch(error));
  return errors.filter((error) => {
    if (error.keyword === 'propertyNames') return false;
    return error.keyword === 'oneOf' ? !isExplained(error) : !wrongBranch(error);
  });
}

/** Which branch of `choice` an error belongs to: referenced definitions keep their own schema path, so by parent data. */
function branchOf(error: ErrorObject, choice: ErrorObject): string | undefined {
  if (error === choice || !error.instancePath.startsWith(choice.instancePath)) return undefined;
  const prefix = `${choice.schemaPath}/`;
  if (error.schemaPath.startsWith(prefix)) return error.schemaPath.slice(prefix.length).split('/')[0];
  return /^#\/\$defs\/[^/]+/.exec(error.schemaPath)?.[0];
}

function branchExcluded(errors: readonly ErrorObject[], choice: ErrorObject, error: ErrorObject): boolean {
  const branch = branchOf(error, choice);
  return errors.some(
    (other) =>
      branchOf(other, choice) === branch &&
      other.instancePath === choice.instancePath &&
      (other.keyword === 'type' || other.keyword === 'const'),
  );
}

type Describe = (error: ErrorObject) => Omit<SchemaFinding, 'path'> & { readonly path?: Path };

const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  additionalProperties: (error) => {
    const key = String(error.params['additionalProperty']);
    const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {}); // our own schema
    const guess = nearest(key, known);
    return {
      path: [...pathOf(error), key],
      onKey: true,
      code: 'schema.unknown_key',
      message: `unknown key "${key}"`,
      hint: guess === undefined ? `Allowed here: ${known.join(', ')}` : `Did you mean "${guess}"?`,
    };
  },
  required: (error) => ({
    onKey: true,
    code: 'schema.missing_key',
    message: `the key "${String(error.params['missingProperty'])}" is missing`,
  }),
  type: (error) => ({
    onKey: false,
    code: 'schema.wrong_type',
    message: `expected ${typeNames(error.params['type'])}, found ${describeValue(error.data)}`,
  }),
  enum: (error) => {
    const allowed = (error.params['allowedValues'] as readonly unknown[]).map(String); // ajv's own error shape
    const guess = typeof error.data === 'string' ? nearest(error.data, allowed) : undefined;
    return {
      onKey: false,
      code: 'schema.not_allowed',
      message: `${describeValue(error.data)} is not one of ${allowed.join(', ')}`,
      ...(guess === undefined ? {} : { hint: `Did you mean "${guess}"?` }),
    };
  },
  oneOf: (error) => ({
    onKey: false,
    code: 'schema.wrong_type',
    message: `${describeValue(error.data)} does not fit here`,
    hint: String(error.parentSchema?.['description'] ?? ''),
  }),
  pattern: (error) => ({
    onKey: error.propertyName !== undefined,
    code: 'schema.bad_text',
    message: `${describeValue(error.propertyName ?? error.data)} does not match ${String(error.params['pattern'])}`,
    ...(error.propertyName === undefined ? {} : { path: [...pathOf(error), error.propertyName] }),
  }),
  format: (error) => ({
    onKey: false,
    code: 'schema.bad_text',
    message: `${describeValue(error.data)} is not a ${String(error.params['format'])}`,
  }),
};

function toFinding(error: ErrorObject): SchemaFinding {
  const describe = DESCRIPTIONS[error.keyword];
  if (describe !== undefined) return { path: pathOf(error), ...describe(error) };
  const name = error.propertyName;
  return {
    path: name === undefined ? pathOf(error) : [...pathOf(error), name],
    onKey: name !== undefined,
    code: 'schema.out_of_bounds',
    message: `${describeValue(name ?? error.data)} ${error.message ?? 'is out of bounds'}`,
  };
}

function pathOf(error: ErrorObject): Path {
  const parts = error.instancePath.split('/').slice(1);
  return parts.map((part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(key) ? Number(key) : key;
  });
}

function typeNames(types: unknown): string {
  const names: Readonly<Record<string, string>> = {
    object: 'a mapping',
    array: 'a list',
    string: 'a text',
    boolean: 'true or false',
    integer: 'a whole number',
    number: 'a number',
  };
  const list = Array.isArray(types) ? types.map(String) : String(types).split(',');
  return list.map((type) => names[type] ?? type).join(' or ');
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = JSON.stringify(value) ?? '';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
