// The entry point: SQL of another database system as ClickHouse SQL. Runs offline, in commands, never for a request.
import { parseColumnType, type ColumnType } from '../../sql/types/column-type.ts';
import type {
  ConvertedParameter,
  ConvertOptions,
  Conversion,
  ConversionNote,
} from '../../sql/dialects/conversion.ts';
import type { Comparison } from './reads.ts';
import { DIALECTS_BY_NAME } from '../../sql/dialects/dialects.ts';
import { READABLE } from '../../sql/dialects/style.ts';
import type { Query } from '../../sql/dialects/tree.ts';
import { writeQuery } from '../../sql/dialects/write/query.ts';
import { contextOf } from '../../sql/dialects/write/expression.ts';
import { type ParseReply, createParser, type Parser } from './parse/parser.ts';

/** Converts one text after another with one parser. */
export interface Converter {
  /** Never rejects for the content of the text: what could not be converted is in the notes. */
  readonly convert: (text: string, options: ConvertOptions) => Promise<Conversion>;
  readonly close: () => Promise<void>;
}

/** Keeps the parser's thread between texts: starting it takes longer than most conversions. */
export function createConverter(): Converter {
  const parser = createParser();
  return { convert: (text, options) => convertWith(parser, text, options), close: parser.close };
}

const NOTHING: Conversion = { sql: undefined, parameters: [], notes: [], reads: { tables: [], columns: [] } };

async function convertWith(parser: Parser, text: string, options: ConvertOptions): Promise<Conversion> {
  const { dialect } = options;
  const reply = await parser.parse({ dialect, text });
  if (reply.kind !== 'read') return { ...NOTHING, notes: [failureNote(reply, text)] };
  const { query, notes, reads, comparisons } = reply.reading;
  const parameters = parameterTypes(comparisons, options.columnsOf);
  const written = write(query, { ...options, text });
  if (written === undefined) return { ...NOTHING, notes: [failureNote({ kind: 'too_large' }, text)], reads };
  return {
    sql: written.sql,
    parameters,
    notes: [...notes, ...written.notes].toSorted((a, b) => a.start - b.start),
    reads,
  };
}

/** Undefined if the tree is too deep to be written. */
function write(query: Query, options: WriteOptions): Written | undefined {
  try {
    return writeStatement(query, options);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function failureNote(reply: Exclude<ParseReply, { kind: 'read' }>, text: string): ConversionNote {
  const whole = { severity: 'not_converted' as const, start: 0, end: text.length };
  switch (reply.kind) {
    case 'invalid': {
      const { code, offset, message } = reply;
      return { ...whole, code, start: offset, end: Math.min(offset + 1, text.length), message };
    }
    case 'timeout':
      return { ...whole, code: 'timeout', message: 'The query could not be read within 2 seconds' };
    case 'too_large':
      return { ...whole, code: 'too_large', message: 'The query is too large or nested too deeply' };
  }
}

interface WriteOptions extends ConvertOptions {
  /** The source, for the lines in comments. */
  readonly text: string;
}

/** ClickHouse SQL, and what is not or not exactly converted. */
interface Written {
  readonly sql: string;
  readonly notes: readonly ConversionNote[];
}

/** Writes a query. Never throws for its content. */
function writeStatement(query: Query, { dialect, columnsOf, tableOf, text }: WriteOptions): Written {
  const { traits, functions } = DIALECTS_BY_NAME[dialect];
  const settings = new Map<string, string>();
  const notes: ConversionNote[] = [];
  let count = 0;
  const fresh = (kind: string): string => {
    const name = `${kind}_${++count}`;
    return text.toLowerCase().includes(name) ? fresh(kind) : name;
  };
  const shared = {
    dialect,
    traits,
    isStrict: false,
    style: READABLE,
    columnsOf,
    tableOf,
    text,
    notes,
    settings,
    fresh,
    tableNames: undefined,
    spend: () => undefined,
    isRecordName: () => false,
  };
  const { sql } = writeQuery(query, contextOf(shared, { tables: new Map(), functions }), {
    isShown: true,
    isPlain: false,
  });
  const list = [...settings].map(([name, value]) => `${name} = ${value}`);
  return { sql: list.length === 0 ? String(sql) : `${String(sql)}\nSETTINGS ${list.join(', ')}`, notes };
}

/** Parameters whose columns are known and have the same type. */
function parameterTypes(
  comparisons: readonly Comparison[],
  columnsOf: ConvertOptions['columnsOf'],
): readonly ConvertedParameter[] {
  const types = new Map<string, Set<string | undefined>>();
  for (const { parameter, column } of comparisons) {
    const known = types.get(parameter) ?? new Set();
    types.set(parameter, known.add(typeOf(column, columnsOf)));
  }
  return [...types].flatMap(([name, [type, more]]) =>
    type === undefined || more !== undefined ? [] : [{ name, type, required: true }],
  );
}

function typeOf(
  { table, path }: Comparison['column'],
  columnsOf: ConvertOptions['columnsOf'],
): string | undefined {
  const [name, more] = path;
  if (table === undefined || name === undefined || more !== undefined) return undefined;
  const column = columnsOf?.(table)?.find((each) => each.name.toLowerCase() === name.toLowerCase());
  return column === undefined ? undefined : parameterType(parseColumnType(column.type));
}

/** The type of a parameter for values of a column; undefined if it has none. */
function parameterType(type: ColumnType): string | undefined {
  switch (type.kind) {
    case 'string':
      return 'String';
    case 'number':
    case 'boolean':
    case 'time':
    case 'uuid':
    case 'ipv4':
    case 'ipv6':
      return type.name;
    case 'dynamic':
    case 'json':
    case 'map':
    case 'tuple':
    case 'array':
    case 'other':
      return undefined;
  }
}
