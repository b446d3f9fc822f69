// Readers of arrays, tuples and maps, built from those of their elements.
import { DEFAULT_MAX_LENGTH } from './text.ts';
import { failure, isRawRecord, isRawScalar, isRawValue, read } from './reading.ts';
import type { RawRecord, RawValue, ScalarReader, Reading, ValueReader } from './reading.ts';
import type { ParameterType } from './type.ts';

/** Bounds on the number of elements. */
export interface CountBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Constraints of a declaration: on its single values, and on the number of its elements. */
export interface ValueOptions {
  /** The reader of the single values of one value, which may bound them together. */
  readonly startScalars: () => ScalarReader;
  readonly count?: CountBounds;
}

/**
 * The reader of a type. `options` apply to the type itself if it is a single value, else to the elements of an array of them.
 * Structures are JSON values (bodies), or strings (URLs, forms) with their JSON text.
 */
export function valueReader(type: ParameterType, options?: ValueOptions): ValueReader {
  switch (type.kind) {
    case 'scalar': {
      const { startScalars = () => type.scalar.read } = options ?? {};
      return (raw) =>
        isRawScalar(raw) ? startScalars()(raw) : failure('must be one value, not a list or an object');
    }
    case 'array':
      return arrayReader(type, options);
    case 'tuple':
      return tupleReader(type);
    case 'map':
      return mapReader(type, options?.count);
  }
}

type OfKind<K extends ParameterType['kind']> = Extract<ParameterType, { kind: K }>;

/** A list, or a string: a JSON list if it begins with `[`, otherwise comma-separated values, taken literally. */
function arrayReader({ element }: OfKind<'array'>, options: ValueOptions | undefined): ValueReader {
  const wrong = element.kind === 'scalar' ? 'a,b or the JSON array ["a","b"]' : 'a JSON array';
  return (raw) => {
    const list = listOf(raw, element.kind === 'scalar');
    if (list === undefined) return failure(`must be a list: ${wrong}`);
    const outside = countFailure(list.length, 'elements', options?.count);
    if (outside !== undefined) return failure(outside);
    const scalars = options?.startScalars();
    const readElement = elementReader(element, scalars && { startScalars: () => scalars });
    return readAll(
      list.map((value, index) => [`element ${index + 1}`, () => readElement(value)]),
      (texts) => `[${texts.join(',')}]`,
    );
  };
}

function listOf(raw: RawValue, isPlain: boolean): readonly unknown[] | undefined {
  const value: unknown = typeof raw === 'string' && (raw.startsWith('[') || !isPlain) ? parseJson(raw) : raw;
  if (typeof value === 'string') return value.split(',');
  return Array.isArray(value) ? value : undefined;
}

/** A list as of an array; with names, also an object. */
function tupleReader({ elements }: OfKind<'tuple'>): ValueReader {
  const names = elements.flatMap(({ name }) => name ?? []);
  const readers = elements.map(({ type }) => elementReader(type));
  const isPlain = elements.every(({ type }) => type.kind === 'scalar');
  const wrong =
    names.length === 0
      ? `must be a list of ${elements.length} values`
      : `must be a JSON object with ${names.join(', ')}`;
  return (raw) => {
    const value = typeof raw === 'string' && /^[[{]/.test(raw) ? parseJson(raw) : raw;
    const list = isRawRecord(value) ? valuesOf(value, names) : listOf(raw, isPlain);
    if (!Array.isArray(list) || list.length !== elements.length) return failure(wrong);
    const parts = readers.map(
      (readPart, index) => [names[index] ?? `element ${index + 1}`, () => readPart(list[index])] as const,
    );
    return readAll(parts, (texts) => `(${texts.join(',')})`);
  };
}

/** Undefined if the names differ. */
function valuesOf(record: RawRecord, names: readonly string[]): readonly unknown[] | undefined {
  const isComplete = names.length > 0 && Object.keys(record).length === names.length;
  return isComplete && names.every((name) => Object.hasOwn(record, name))
    ? names.map((name) => record[name] ?? null)
    : undefined;
}

/** An object; its entries are ordered by key, so that equal maps have equal texts. */
function mapReader({ key, value }: OfKind<'map'>, count: CountBounds | undefined): ValueReader {
  const [readKey, readItem] = [elementReader(key), elementReader(value)];
  return (raw) => {
    const record = typeof raw === 'string' ? parseJson(raw) : raw;
    if (!isRawRecord(record)) return failure('must be a JSON object');
    const entries = Object.entries(record);
    const outside = countFailure(entries.length, 'entries', count);
    if (outside !== undefined) return failure(outside);
    const texts = new Map<string, string>();
    for (const [index, [name, item]] of entries.entries()) {
      const [readName, reading] = [readKey(name), readItem(item)];
      if (readName.kind === 'failure') return failure(`${readName.message} (key ${index + 1})`);
      if (reading.kind === 'failure') return failure(`${reading.message} (value ${index + 1})`);
      if (texts.has(readName.text)) return failure(`has a key twice (key ${index + 1})`);
      texts.set(readName.text, reading.text);
    }
    const sorted = [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return read(`{${sorted.map(([name, text]) => `${name}:${text}`).join(',')}}`);
  };
}

/** Reads an element to its text inside a structure: `'it''s'`, `5`, `NULL`, `[1,2]`. */
function elementReader(type: ParameterType, options?: ValueOptions): (raw: unknown) => Reading {
  const isBare = type.kind !== 'scalar' || type.scalar.isBare;
  const readValue = valueReader(type, type.kind === 'scalar' ? options : undefined);
  return (raw) => {
    if (raw === null || !isRawValue(raw)) return type.isNullable ? read('NULL') : failure('must not be null');
    const reading = readValue(raw);
    return reading.kind === 'failure' || isBare ? reading : read(quoted(reading.text));
  };
}

/** Only quotes are doubled; backslashes and control characters are escaped later, as in every other parameter. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

type ValuePart = readonly [place: string, read: () => Reading];

function readAll(parts: readonly ValuePart[], join: (texts: readonly string[]) => string): Reading {
  const texts: string[] = [];
  for (const [element, [place, readPart]] of parts.entries()) {
    const reading = readPart();
    if (reading.kind === 'failure') return { ...failure(`${reading.message} (${place})`), element };
    texts.push(reading.text);
  }
  return read(join(texts));
}

function countFailure(count: number, noun: string, bounds: CountBounds = {}): string | undefined {
  const { min = 0, max = DEFAULT_MAX_LENGTH } = bounds;
  if (count > max) return `must have at most ${max} ${noun}`;
  return count < min ? `must have at least ${min} ${noun}` : undefined;
}

/** Undefined if the string is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
