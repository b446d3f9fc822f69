// Makes values for the columns of keys and indexes of a table as large as another one: each is SQL over the number of the row.
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { enumNames, integerOf, isDate, isDateTime, isNullable, plainTypeOf } from '../../sql/types/traits.ts';
import { parseType, printType, typeArguments } from '../../sql/types/type.ts';
import type { ColumnStatistics } from './statistics.ts';

/** Rows are sorted, partitioned or indexed by such a column. */
export interface KeyColumn {
  readonly name: string;
  readonly type: string;
  /** It has all words of the keys and indexes of the column's table. */
  readonly words: ReadonlySet<string>;
  /** For an array of a nested structure: the names of all its arrays, this one included. */
  readonly nested?: readonly string[];
}

export interface ValueSource {
  /** It is the quoted name of the table with the rows of fixtures. */
  readonly from: string;
  /** This many rows are made. */
  readonly rows: number;
  /** The newest row has this time, in seconds since 1970. */
  readonly newest: number;
  /** Calls may compare columns with these texts, so some rows have them. */
  readonly texts: readonly string[];
  /** It has sizes by the names of columns and of their elements. */
  readonly statistics: ReadonlyMap<string, ColumnStatistics>;
  /** If it is defined, values have NULLs, ties and texts that are nearly the same, and depend on it. */
  readonly seed?: number | undefined;
  /** With a seed, the times of this column are in a few intervals of so many seconds, each with many rows. */
  readonly buckets?: { readonly time: string; readonly every: number } | undefined;
}

/** At most this many values of fixtures are used, so that the call of an example finds rows for its tenant. */
const MOST_KNOWN = 256;

const DEFAULT_SECONDS = 90 * 86_400;

const NUMBER = /^(?:U?Int\d+|Float\d+|BFloat16|Decimal)/;

/**
 * Returns an expression over `number`. Times grow with the number of the row up to the newest one, as those of logs do; other values are
 * those of the fixtures and further ones, in no order.
 */
export function valueOf(column: KeyColumn, source: ValueSource): string {
  const { rows, newest, statistics } = source;
  if (isTime(column)) {
    const { seconds = DEFAULT_SECONDS } = statistics.get(column.name) ?? {};
    const row = source.seed === undefined ? 'number' : `intDiv(number, ${TIES}) * ${TIES}`;
    const last = Math.max(rows - 1, 1);
    const even = `${newest - seconds} + intDiv(${row} * ${seconds}, ${last})`;
    const isOfBuckets = source.seed !== undefined && source.buckets?.time === column.name;
    const time = isOfBuckets
      ? inBuckets({ last, newest, seconds }, source.buckets.every)
      : source.seed === undefined
        ? even
        : withRecent(even, { row, last, newest, seconds });
    return withNulls(cast(`toDateTime(greatest(${time}, 0), 'UTC')`, column.type), column, source);
  }
  if (column.nested !== undefined) return ofNested(column, column.nested, source);
  if (source.seed !== undefined && plainTypeOf(column.type).name === 'JSON')
    return ofDocuments(column, source);
  return ofElements(column, source) ?? withNulls(ofValues(column, source), column, source);
}

/** One of so many rows is newer than its number, in varied tables. */
const ROWS_PER_RECENT = 16;

interface TimesOfRows {
  readonly row: string;
  /** It is the number of the last row. */
  readonly last: number;
  readonly newest: number;
  readonly seconds: number;
}

/** Returns times of which several are within the last minutes, so that conditions on these have rows. */
function withRecent(even: string, { row, last, newest, seconds }: TimesOfRows): string {
  const before = `(${last} - ${row}) * ${ROWS_PER_RECENT} / ${last}`;
  const recent = `toInt64(${newest} - ${seconds / ROWS_PER_RECENT} * pow(${before}, 3))`;
  return `if(${before} < 1, ${recent}, toInt64(${even}))`;
}

/** So many rows after each other are in one bucket. */
const ROWS_PER_BUCKET = 128;

/** Returns times in buckets that are closer to each other the newer they are. */
function inBuckets({ last, newest, seconds }: Omit<TimesOfRows, 'row'>, every: number): string {
  const bucket = `intDiv(${last} - number, ${ROWS_PER_BUCKET})`;
  const oldest = Math.max(Math.floor(last / ROWS_PER_BUCKET), 1);
  const start = `intDiv(toInt64(${newest} - ${seconds} * pow(${bucket} / ${oldest}, 3)), ${every}) * ${every}`;
  return `least(${start} + intDiv(number, ${TIES}) * 7919 % ${every}, ${newest})`;
}

/** So many rows after each other have the same time, in varied tables. */
const TIES = 3;
/** One of so many values is NULL, in varied tables. */
const VALUES_PER_NULL = 8;

function withNulls(value: string, { name, type }: KeyColumn, { seed }: ValueSource): string {
  if (seed === undefined || !isNullable(parseType(type))) return value;
  return `if(${hashOf(`${name} is NULL`, seed)} % ${VALUES_PER_NULL} = 0, NULL, ${value})`;
}

function hashOf(name: string, seed: number | undefined): string {
  return `sipHash64(number, ${quoteString(seed === undefined ? name : `${name} ${seed}`)})`;
}

/** Returns the arrays of a row of the fixtures, the same row for each array of the structure. */
function ofNested({ name, type }: KeyColumn, nested: readonly string[], { from, seed }: ValueSource): string {
  const rows = `(SELECT groupUniqArray(${MOST_KNOWN})(tuple(${nested.map(quoteIdentifier).join(', ')})) FROM ${from})`;
  const structure = name.slice(0, name.indexOf('.'));
  const row = `${rows}[${hashOf(structure, seed)} % greatest(length(${rows}), 1) + 1]`;
  return cast(`if(empty(${rows}), [], tupleElement(${row}, ${nested.indexOf(name) + 1}))`, type);
}

/** Returns the documents of fixtures; if there are none, ones with the typed paths. */
function ofDocuments(column: KeyColumn, source: ValueSource): string {
  const { name, type } = column;
  const known = `(SELECT groupUniqArray(${MOST_KNOWN})(toString(${quoteIdentifier(name)})) FROM ${source.from})`;
  const typed = ofElements({ ...column, words: new Set(type.match(/\w+/g)) }, source);
  const index = `${hashOf(name, source.seed)} % greatest(length(${known}), 1) + 1`;
  const other = typed === undefined ? "'{}'" : `toString(${typed})`;
  return cast(`if(empty(${known}), ${other}, ${known}[${index}])`, type);
}

function ofValues({ name, type }: KeyColumn, { from, rows, texts, statistics, seed }: ValueSource): string {
  const stored = `(SELECT groupUniqArray(${MOST_KNOWN})(assumeNotNull(${quoteIdentifier(name)})) FROM ${from})`;
  const length = fixedLength(type);
  const fitting = texts.filter((text) => length === undefined || Buffer.byteLength(text) === length);
  const isText = (plainTypeOf(type).name === 'String' || length !== undefined) && fitting.length > 0;
  const listed = fitting.slice(0, MOST_KNOWN).map(quoteString).join(', ');
  const compared = seed === undefined ? undefined : comparedValues(type, texts);
  const known = isText
    ? `arrayDistinct(arrayConcat([${listed}], ${stored}))`
    : compared === undefined
      ? stored
      : `arrayDistinct(arrayConcat(${compared}, ${stored}))`;
  const most = plainTypeOf(type).name === 'UUID' ? rows : MOST_KNOWN;
  const distinct = statistics.get(name)?.distinct ?? Math.max(1, Math.min(rows, most));
  const different = seed === undefined ? distinct : `greatest(${distinct}, length(${known}))`;
  const index = `(${hashOf(name, seed)} % ${different})`;
  const own = ownValue(type, index, known);
  if (own === undefined)
    return cast(`if(empty(${known}), ${defaultOf(type)}, ${known}[${index} % length(${known}) + 1])`, type);
  const value = `if(${index} < length(${known}), ${cast(`${known}[${index} + 1]`, type)}, ${cast(own, type)})`;
  return seed === undefined || plainTypeOf(type).name !== 'String' ? value : nearlySame(value, name, seed);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the numbers or identifiers that calls compare a column with; undefined for other types. */
function comparedValues(type: string, texts: readonly string[]): string | undefined {
  const plain = plainTypeOf(type);
  const isInteger = integerOf(plain) !== undefined;
  if (!isInteger && plain.name !== 'UUID') return undefined;
  const own = texts.filter((text) => (isInteger ? /^\d{1,18}$/ : UUID).test(text));
  return `CAST([${own.map((text) => (isInteger ? text : quoteString(text))).join(', ')}], ${quoteString(`Array(${printType(plain)})`)})`;
}

/** Some texts are empty, in upper case or longer. */
function nearlySame(value: string, name: string, seed: number): string {
  const hash = hashOf(`${name} is another`, seed);
  return `multiIf(${hash} % 31 = 0, '', ${hash} % 29 = 0, upper(toString(${value})), ${hash} % 23 = 0, concat(toString(${value}), 'x'), toString(${value}))`;
}

interface Element extends KeyColumn {
  /** It is the name in the column's tuple, or the path in its JSON. */
  readonly path: string;
  /** It is true if a key or an index names it. */
  readonly isNamed: boolean;
}

/** Returns the elements of a tuple, or the typed paths of JSON; none for other types. */
function elementsOf({ name, type, words }: KeyColumn): readonly Element[] {
  const plain = plainTypeOf(type);
  if (plain.name !== 'Tuple' && plain.name !== 'JSON') return [];
  return typeArguments(plain).map(({ label = '', type: inner }) => {
    const path = label.replaceAll('`', '');
    const isNamed = words.has(path.split('.').at(-1) ?? '');
    return { name: `${name}.${path}`, type: printType(inner), words, path, isNamed };
  });
}

/** Returns the column, or the parts of it that the keys and indexes name. */
export function namedIn(column: KeyColumn): readonly KeyColumn[] {
  const named = elementsOf(column).filter(({ isNamed }) => isNamed);
  return named.length === 0 ? [column] : named.flatMap(namedIn);
}

function ofElements(column: KeyColumn, source: ValueSource): string | undefined {
  const elements = elementsOf(column);
  if (elements.every(({ isNamed }) => !isNamed)) return undefined;
  if (plainTypeOf(column.type).name === 'Tuple') {
    const values = elements.map((each) => (each.isNamed ? valueOf(each, source) : defaultOf(each.type)));
    return cast(`tuple(${values.join(', ')})`, column.type);
  }
  const named = elements.filter(({ isNamed }) => isNamed);
  const paths = named.map(
    (each) => `${quoteString(`${JSON.stringify(each.path)}:`)} || toJSONString(${valueOf(each, source)})`,
  );
  return cast(`'{' || ${paths.join(" || ',' || ")} || '}'`, column.type);
}

function defaultOf(type: string): string {
  return `defaultValueOfTypeName(${quoteString(type)})`;
}

/** Returns true for columns with times. */
export function isTime({ type }: Pick<KeyColumn, 'type'>): boolean {
  const plain = plainTypeOf(type);
  return isDate(plain) || isDateTime(plain);
}

/**
 * Returns undefined for types whose values cannot be made up. Texts begin as known ones do, so that a condition on their beginning finds
 * some.
 */
function ownValue(type: string, index: string, known: string): string | undefined {
  const plain = plainTypeOf(type);
  const names = enumNames(plain).map(quoteString);
  if (names.length > 0) return `[${names.join(', ')}][${index} % ${names.length} + 1]`;
  if (plain.name === 'Bool') return `${index} % 2`;
  if (plain.name === 'String')
    return `concat(${known}[${index} % greatest(length(${known}), 1) + 1], ' ', toString(${index}))`;
  const length = fixedLength(type);
  if (length !== undefined)
    return `substring(rightPad(hex(sipHash64(${index})), ${length}, '0'), 1, ${length})`;
  if (plain.name === 'UUID') return `reinterpret(sipHash128(${index}), 'UUID')`;
  return NUMBER.test(plain.name) ? index : undefined;
}

/** Returns the bytes of a FixedString. */
function fixedLength(type: string): number | undefined {
  const [, bytes] = /^FixedString\((\d+)\)$/.exec(printType(plainTypeOf(type))) ?? [];
  return bytes === undefined ? undefined : Number(bytes);
}

function cast(sql: string, type: string): string {
  return `CAST(${sql}, ${quoteString(type)})`;
}
