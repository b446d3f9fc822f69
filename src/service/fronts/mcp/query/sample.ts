// What sampled rows of a table hold: values of each column, and the paths inside of documents, maps and tuples.
import type { Column } from '../../../engine/engine.ts';
import { parseColumnType, type ColumnType } from '../../../../sql/types/column-type.ts';
import { quoteIdentifier, quoteString } from '../../../../sql/clickhouse/literal.ts';
import type { OpenEndpoint } from './open-endpoints.ts';
import { hasState } from '../../../../sql/types/traits.ts';
import { parseType } from '../../../../sql/types/type.ts';

/** Rows read for the sample of one table. */
const SAMPLE_ROWS = 200;
/** Distinct values counted for one path; further ones are not shown. */
const MAX_DISTINCT = 1000;
const MAX_PATHS = 400;
const MAX_DEPTH = 16;
/** Characters of a value that is shown. */
const MAX_VALUE = 60;

/** Values of a column, or of a path inside it. */
export interface SeenPath {
  /** As a query writes it; names that need quoting are quoted. */
  readonly path: string;
  /** The type as declared; undefined for a path whose type varies by row. */
  readonly type: string | undefined;
  /** Kinds of its values: `string`, `number`, `boolean`, `array`, sorted by frequency. */
  readonly kinds: readonly string[];
  /** The most frequent first, as JSON, shortened. */
  readonly values: readonly string[];
  /** The first and the last value of a time; undefined for other types. */
  readonly range: readonly [first: string, last: string] | undefined;
}

export interface Sample {
  readonly rows: number;
  readonly paths: readonly SeenPath[];
}

/** Returns whether values of the type can be returned: aggregate function states cannot. */
export function isReturnable({ type }: Column): boolean {
  return !hasState(parseType(type));
}

/** The fields of the call that samples a table, in a language that the endpoint accepts. */
export function sampleFields(
  { languages, dialects }: OpenEndpoint,
  table: string,
  columns: readonly Column[],
): readonly (readonly [string, string])[] {
  const names = columns.filter(isReturnable).map(({ name }) => name);
  const [dialect] = dialects;
  if (!languages.includes('sql') || dialect === undefined) return [['lql', `f:${table}`]];
  const list = names.map(quoteIdentifier).join(', ');
  const sql = `SELECT ${list} FROM ${quoteIdentifier(table)} LIMIT ${SAMPLE_ROWS}`;
  return [
    ['sql', sql],
    ['dialect', dialect],
  ];
}

/** `rows` are parsed rows of a JSON response. */
export function readSample(
  columns: readonly Column[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Sample {
  const paths = columns.flatMap(({ name, type }) => {
    const tally = createTally();
    const shape = parseColumnType(type);
    for (const row of rows.slice(0, SAMPLE_ROWS)) {
      for (const leaf of leavesOf({ path: pathOf(name), type: shape, value: row[name] })) tally.add(leaf);
    }
    return tally.paths();
  });
  return { rows: Math.min(rows.length, SAMPLE_ROWS), paths };
}

/** A name as a query writes it. */
export function pathOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoteIdentifier(wellFormed(name));
}

interface Tally {
  readonly add: (leaf: Leaf) => void;
  readonly paths: () => readonly SeenPath[];
}

interface Counted {
  readonly type: ColumnType | undefined;
  readonly kinds: Map<string, number>;
  readonly values: Map<string, number>;
}

/** Counts the values of one column. */
function createTally(): Tally {
  const counted = new Map<string, Counted>();
  return {
    add: ({ path, type, value }) => {
      if (value === null || value === undefined) return;
      const known = counted.get(path) ?? { type, kinds: new Map(), values: new Map() };
      if (!counted.has(path) && counted.size >= MAX_PATHS) return;
      counted.set(path, known);
      count(known.kinds, Array.isArray(value) ? 'array' : typeof value);
      const isDigits = type?.kind === 'number' && typeof value === 'string';
      count(known.values, isDigits ? value.slice(0, MAX_VALUE) : shortText(value));
    },
    paths: () =>
      [...counted].map(([path, { type, kinds, values }]) => ({
        path,
        type: type?.name,
        kinds: byFrequency(kinds),
        values: byFrequency(values),
        range: type?.kind === 'time' ? rangeOf([...values.keys()]) : undefined,
      })),
  };
}

/** A value without parts that a query can name. */
interface Leaf {
  readonly path: string;
  readonly type: ColumnType | undefined;
  readonly value: unknown;
}

function leavesOf({ path, type, value }: Leaf, depth = 0): readonly Leaf[] {
  if (!isRecord(value) || depth >= MAX_DEPTH) return [{ path, type, value }];
  if (type?.kind === 'map') {
    return Object.entries(value).flatMap(([key, item]) =>
      leavesOf({ path: keyPath(path, key), type: type.value, value: item }, depth + 1),
    );
  }
  if (type?.kind === 'tuple') {
    return Object.entries(value).flatMap(([name, item]) =>
      leavesOf({ path: `${path}.${pathOf(name)}`, type: type.elements.get(name), value: item }, depth + 1),
    );
  }
  if (type?.kind === 'json') return documentLeaves(path, value, { typed: type.paths, above: '', depth });
  if (type === undefined || type.kind === 'dynamic')
    return documentLeaves(path, value, { typed: NONE, above: '', depth });
  return [{ path, type, value }];
}

const NONE: ReadonlyMap<string, ColumnType> = new Map();

interface Document {
  /** By the full path in the document. */
  readonly typed: ReadonlyMap<string, ColumnType>;
  /** The path of the value in the document, with a dot after it. */
  readonly above: string;
  readonly depth: number;
}

function documentLeaves(path: string, value: object, { typed, above, depth }: Document): readonly Leaf[] {
  return Object.entries(value).flatMap(([name, item]) => {
    const [inner, full] = [`${path}.${pathOf(name)}`, `${above}${name}`];
    const type = typed.get(full);
    if (type !== undefined || !isRecord(item) || depth >= MAX_DEPTH)
      return leavesOf({ path: inner, type, value: item }, MAX_DEPTH);
    return documentLeaves(inner, item, { typed, above: `${full}.`, depth: depth + 1 });
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key of a map, as a query writes it. */
function keyPath(path: string, key: string): string {
  return `${path}[${quoteString(wellFormed(key))}]`;
}

function wellFormed(name: string): string {
  return name.replace(/\p{Surrogate}/gu, '\u{fffd}');
}

function count(counts: Map<string, number>, key: string): void {
  if (counts.has(key) || counts.size < MAX_DISTINCT) counts.set(key, (counts.get(key) ?? 0) + 1);
}

function byFrequency(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([key]) => key);
}

function rangeOf(values: readonly string[]): SeenPath['range'] {
  const sorted = values.toSorted();
  const [first, last] = [sorted[0], sorted.at(-1)];
  return first === undefined || last === undefined ? undefined : [first, last];
}

/** One line of JSON. */
function shortText(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_VALUE)) : JSON.stringify(value);
  const isLong = typeof value === 'string' ? value.length > MAX_VALUE : text.length > MAX_VALUE;
  if (!isLong) return text;
  return typeof value === 'string' ? `${text.slice(0, -1)}…"` : `${text.slice(0, MAX_VALUE)}…`;
}
