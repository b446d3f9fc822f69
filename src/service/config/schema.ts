// Validates documents against their JSON Schema: ajv's errors become findings with line, column and the nearest valid
// spelling.
import type { ErrorObject } from 'ajv';
import {
  type Codes,
  type Finding,
  locateFindings,
  MAX_FINDINGS,
  type PathFinding,
} from '../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import { locateFinding } from './locate-finding.ts';
import type { SchemaName, SchemaPart } from './schema-file.ts';
import { validatorOf } from './schema-validators.ts';
import type { Path, YamlDocument } from './yaml-document.ts';

export const SCHEMA_CODES: Codes = {
  'schema.unknown_key': {
    title: 'Unknown key',
    help: 'The hint suggests the closest match; docs/reference/endpoint-file.md lists all keys.',
  },
  'schema.missing_key': {
    title: 'Missing key',
    help: 'Every file needs id, name and query; every parameter needs a type, or choices.',
  },
  'schema.wrong_type': {
    title: 'Wrong type',
    help: 'The message has the expected type: a string, a number, a mapping, …',
  },
  'schema.not_allowed': {
    title: 'Value not allowed',
    help: 'Use one of the values in the message.',
  },
  'schema.string_invalid': {
    title: 'Invalid format',
    help: 'Names, UUIDs, times and sizes have a fixed format, which the message shows.',
  },
  'schema.wrong_kind': {
    title: 'File of another kind',
    help: 'The end of a file name says what it declares: .view.yaml a shared view, .rollup.yaml rollups, .shared.yaml parts that endpoint files include, and any other .yaml an endpoint. Rename the file.',
  },
  'schema.reserved_name': {
    title: 'Reserved name',
    help: 'sql, lql, format and dialect have a meaning in every request, so no parameter can have these names.',
  },
  'schema.out_of_bounds': {
    title: 'Value out of bounds',
    help: 'The value is too small or too large, or has too many characters or elements. The message has the bound.',
  },
};

/** Validates a document against one schema. Without findings, its value has the type generated from that schema. */
export type SchemaCheck = (document: YamlDocument) => readonly Finding[];

export function createSchemaCheck(name: SchemaName): SchemaCheck {
  return (document) => {
    const misplaced = wrongKind(name, document.value);
    if (misplaced !== undefined) return [locateFinding(document, misplaced)];
    return locateFindings(errorsIn(name, document.value), (error) =>
      locateFinding(document, toFinding(error)),
    );
  };
}

/** What files declare by the end of their name, other than endpoints. */
const KINDS: Partial<Readonly<Record<SchemaName, string>>> = {
  view: 'a shared view', rollup: 'rollups', shared: 'parts that endpoint files include',
}; // prettier-ignore

/** An endpoint in a file whose name is that of another kind. */
function wrongKind(name: SchemaName, value: unknown): PathFinding | undefined {
  const kind = KINDS[name];
  const isEndpoint = typeof value === 'object' && value !== null && 'id' in value && 'query' in value;
  if (kind === undefined || !isEndpoint) return undefined;
  return {
    code: 'schema.wrong_kind',
    path: ['query'],
    message: `this is an endpoint, but files whose names end in .${name}.yaml declare ${kind}`,
    hint: `Rename the file, for example with a hyphen: -${name}.yaml. The name of the endpoint can stay`,
  };
}

/**
 * The same for plain values that are not from a document, such as environment variables, or against one of the schema's definitions.
 * Returns at most `MAX_FINDINGS`.
 */
export function createValueCheck(name: SchemaName | SchemaPart): (value: unknown) => readonly PathFinding[] {
  return (value) => errorsIn(name, value).slice(0, MAX_FINDINGS).map(toFinding);
}

function errorsIn(name: SchemaName | SchemaPart, value: unknown): readonly ErrorObject[] {
  const validate = validatorOf(name);
  return validate(value) ? [] : relevant(validate.errors ?? []);
}

/**
 * For a failed oneOf, keeps only the errors of the branches selected by the value's type; otherwise the error itself.
 * `propertyNames` errors duplicate the error of the name, and `if` errors those of the branch.
 */
function relevant(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const wrong = new Set<ErrorObject>();
  const choices = new Map<ErrorObject, readonly BranchError[]>();
  for (const [index, choice] of errors.entries()) {
    if (choice.keyword !== 'oneOf') continue;
    const inside = branchErrors(errors, choice, index);
    const excluded = new Set(
      inside.filter(({ error }) => chosenByType(error, choice)).map(({ branch }) => branch),
    );
    for (const { error, branch } of inside) if (excluded.has(branch)) wrong.add(error);
    choices.set(choice, inside);
  }
  const misspelled = misspelledKeys(errors);
  return errors.filter((error) => {
    if (error.keyword === 'propertyNames' || error.keyword === 'if') return false;
    if (error.keyword === 'required' && misspelled.has(keyAt(error, error.params['missingProperty'])))
      return false;
    const inside = choices.get(error);
    return inside === undefined ? !wrong.has(error) : inside.every((each) => wrong.has(each.error));
  });
}

/** Returns the keys, with their places, that unknown ones are misspellings of: where one of them is missing, that is reported already. */
function misspelledKeys(errors: readonly ErrorObject[]): ReadonlySet<string> {
  const places = new Set(
    errors.flatMap(({ keyword, instancePath }) => (keyword === 'required' ? instancePath : [])),
  );
  const unknown = errors.filter(
    ({ keyword, instancePath }) => keyword === 'additionalProperties' && places.has(instancePath),
  );
  return new Set(unknown.map((error) => keyAt(error, nearestKey(error))));
}

const keyAt = ({ instancePath }: ErrorObject, key: unknown): string => `${instancePath}\0${String(key)}`;

/** The key that an unknown one may mean. */
function nearestKey({ params, parentSchema }: ErrorObject): string | undefined {
  return nearest(String(params['additionalProperty']), knownKeys(parentSchema));
}

function knownKeys(schema: ErrorObject['parentSchema']): readonly string[] {
  return Object.keys((schema?.['properties'] as object | undefined) ?? {}); // our own schema
}

/** An error in one branch of a oneOf. */
interface BranchError {
  readonly error: ErrorObject;
  readonly branch: string;
}

/** ajv lists the errors of the branches immediately before the oneOf error. */
function branchErrors(
  errors: readonly ErrorObject[],
  choice: ErrorObject,
  index: number,
): readonly BranchError[] {
  const found: BranchError[] = [];
  for (let at = index - 1; at >= 0; at--) {
    const error = errors[at];
    if (error === undefined || !isInside(error, choice)) break;
    const branch = branchOf(error, choice);
    if (branch !== undefined) found.push({ error, branch });
  }
  return found;
}

function isInside({ instancePath }: ErrorObject, choice: ErrorObject): boolean {
  return instancePath === choice.instancePath || instancePath.startsWith(`${choice.instancePath}/`);
}

function branchOf({ schemaPath }: ErrorObject, choice: ErrorObject): string | undefined {
  const prefix = `${choice.schemaPath}/`;
  return schemaPath.startsWith(prefix) ? schemaPath.slice(prefix.length).split('/', 1)[0] : undefined;
}

function chosenByType({ instancePath, keyword }: ErrorObject, choice: ErrorObject): boolean {
  return instancePath === choice.instancePath && (keyword === 'type' || keyword === 'const');
}

type Describe = (error: ErrorObject) => Omit<PathFinding, 'path'> & { readonly path?: Path };

const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  additionalProperties: (error) => {
    const key = String(error.params['additionalProperty']);
    return {
      path: [...pathOf(error), key],
      onKey: true,
      code: 'schema.unknown_key',
      message: `unknown key "${shorten(key)}"`,
      hint: didYouMean(nearestKey(error)) ?? `Allowed here: ${knownKeys(error.parentSchema).join(', ')}`,
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
    ...typeHint(error),
  }),
  enum: (error) => {
    const allowed = (error.params['allowedValues'] as readonly unknown[]).map(String); // ajv's own error shape
    const hint = typeof error.data === 'string' ? didYouMean(nearest(error.data, allowed)) : undefined;
    return {
      onKey: false,
      code: 'schema.not_allowed',
      message: `${describeValue(error.data)} is not one of ${allowed.join(', ')}`,
      ...(hint && { hint }),
    };
  },
  oneOf: (error) => ({
    onKey: false,
    code: 'schema.wrong_type',
    message: `${describeValue(error.data)} is not valid here`,
    hint: String(error.parentSchema?.['description'] ?? ''),
  }),
  pattern: (error) => ({
    onKey: error.propertyName !== undefined,
    code: 'schema.string_invalid',
    message: `${describeValue(error.propertyName ?? error.data)} does not match ${String(error.params['pattern'])}`,
    ...formHint(error.parentSchema),
    ...(error.propertyName === undefined ? {} : { path: [...pathOf(error), error.propertyName] }),
  }),
  not: (error) => {
    const { enum: reserved = [] } = error.schema as { readonly enum?: readonly unknown[] }; // of the schemas in schemas/
    return {
      onKey: error.propertyName !== undefined,
      code: 'schema.reserved_name',
      message: `${describeValue(error.propertyName ?? error.data)} is a reserved name`,
      hint: `Choose another name: ${reserved.join(', ')} have a meaning in every request`,
      ...(error.propertyName === undefined ? {} : { path: [...pathOf(error), error.propertyName] }),
    };
  },
  format: (error) => ({
    onKey: false,
    code: 'schema.string_invalid',
    message: `${describeValue(error.data)} is not a ${String(error.params['format'])}`,
  }),
};

/** What a schema says of its form in words. */
function formHint(schema: ErrorObject['parentSchema']): { readonly hint?: string } {
  const { description, examples } = (schema ?? {}) as { description?: string; examples?: readonly unknown[] }; // of the schemas in schemas/
  const example = examples?.find((each) => typeof each === 'string');
  const parts = [
    ...(example === undefined ? [] : [`Such as ${example}.`]),
    ...(description === undefined ? [] : [description]),
  ];
  return parts.length === 0 ? {} : { hint: parts.join(' ') };
}

function toFinding(error: ErrorObject): PathFinding {
  const describe = DESCRIPTIONS[error.keyword];
  if (describe !== undefined) return { path: pathOf(error), ...describe(error) };
  const name = error.propertyName;
  return {
    path: name === undefined ? pathOf(error) : [...pathOf(error), name],
    onKey: name !== undefined,
    code: 'schema.out_of_bounds',
    message: `${describeValue(name ?? error.data)} ${error.message ?? 'is out of range'}`,
  };
}

/** Strings that were meant as another type: `no` is a string in YAML 1.2, and a quoted number always is. */
function typeHint({ data, params, parentSchema }: ErrorObject): { readonly hint?: string } {
  if (typeof data !== 'string') return {};
  const types = String(params['type']);
  const meant = new Map([
    ...['true', 'yes', 'on'].map((word) => [word, 'true'] as const),
    ...['false', 'no', 'off'].map((word) => [word, 'false'] as const),
  ]).get(data.toLowerCase());
  if (types === 'boolean' && meant !== undefined) return { hint: `Write ${meant}, without quotes` };
  if (!/integer|number/.test(types)) return {};
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(data)) return { hint: `Write ${data}, without quotes` };
  const description: unknown = parentSchema?.['description'];
  return typeof description === 'string' ? { hint: description } : {};
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
    string: 'a string',
    boolean: 'true or false',
    integer: 'an integer',
    number: 'a number',
  };
  const list = Array.isArray(types) ? types.map(String) : String(types).split(',');
  return list.map((type) => names[type] ?? type).join(' or ');
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return shorten(JSON.stringify(value) ?? '');
}
