// Result formats that the engine writes itself, for ClickHouse clients: a closed table of ClickHouse's names.

/** A result as the engine writes it. */
export interface EngineFormat {
  /** ClickHouse's name, exactly spelled, such as `Native`. */
  readonly engine: string;
  /** Output settings that differ from ClickHouse's defaults, in canonical order; names and values have been checked. */
  readonly settings: Readonly<Record<string, string>>;
  /** Native for clients that read types of times with their zone. */
  readonly hasZones?: true;
  /** The caller's own limit on rows, if below the endpoint's: `throw` is an error, `break` a result cut without a word. */
  readonly resultRows?: { readonly max: number; readonly overflow: 'throw' | 'break' };
}

/** A format of the table. */
export interface NamedFormat {
  readonly name: string;
  /** Content-Type of responses, as ClickHouse sends it. */
  readonly contentType: string;
}

const TSV = 'text/tab-separated-values; charset=UTF-8';
const CSV = 'text/csv; charset=UTF-8; header=';
const JSON_TYPE = 'application/json; charset=UTF-8';
const NDJSON = 'application/x-ndjson; charset=UTF-8';
const PLAIN = 'text/plain; charset=UTF-8';
const BINARY = 'application/octet-stream';

/**
 * Without formats that run for a server or a client of another protocol (MySQLWire), that need a schema file (Protobuf, Template), or
 * that write one column or value only (RawBLOB, Npy, PNG, LineAsString).
 */
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ...typed(TSV, ['TSV', 'TabSeparated', 'TSVRaw', 'TabSeparatedRaw', 'Raw'].flatMap(withNames)),
  ...typed(TSV, ['TSKV']),
  ...typed(`${CSV}absent`, ['CSV']),
  ...typed(`${CSV}present`, ['CSVWithNames', 'CSVWithNamesAndTypes']),
  ...typed(JSON_TYPE, ['JSON', 'JSONStrings', 'JSONCompact', 'JSONCompactStrings', 'JSONColumns']),
  ...typed(JSON_TYPE, ['JSONCompactColumns', 'JSONColumnsWithMetadata', 'JSONObjectEachRow']),
  ...typed(NDJSON, ['JSONEachRow', 'JSONLines', 'JSONL', 'NDJSON', 'JSONStringsEachRow']),
  ...typed(NDJSON, ['PrettyJSONEachRow', 'PrettyJSONLines', 'PrettyNDJSON']),
  ...typed(JSON_TYPE, ['JSONEachRowWithProgress', 'JSONStringsEachRowWithProgress']),
  ...typed(JSON_TYPE, ['JSONCompactEachRowWithProgress', 'JSONCompactStringsEachRowWithProgress']),
  ...typed(PLAIN, ['JSONCompactEachRow', 'JSONCompactStringsEachRow'].flatMap(withNames)),
  ...typed(PLAIN, ['Values', 'SQLInsert', 'Vertical', 'Markdown', 'MD', 'Null']),
  ...typed(PLAIN, ['Pretty', 'PrettyCompact', 'PrettySpace'].flatMap(prettyNames)),
  ...typed('application/xml; charset=UTF-8', ['XML']),
  ...typed(BINARY, withNames('RowBinary')),
  ...typed(BINARY, ['Native', 'Parquet', 'Arrow', 'ArrowStream', 'ORC', 'Avro', 'MsgPack', 'BSONEachRow']),
]);

/** All formats, in order of their names. */
export const ENGINE_FORMATS: readonly NamedFormat[] = [...CONTENT_TYPES]
  .map(([name, contentType]) => ({ name, contentType }))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

const BY_NAME: ReadonlyMap<string, NamedFormat> = new Map(
  ENGINE_FORMATS.map((format) => [format.name.toLowerCase(), format] as const),
);

/** The format with this name, in any case of letters as in ClickHouse; undefined if it is not supported. */
export function engineFormatNamed(name: string): NamedFormat | undefined {
  return BY_NAME.get(name.toLowerCase());
}

function typed(
  contentType: string,
  names: readonly string[],
): readonly (readonly [name: string, contentType: string])[] {
  return names.map((name) => [name, contentType] as const);
}

function withNames(name: string): readonly string[] {
  return [name, `${name}WithNames`, `${name}WithNamesAndTypes`];
}

/** `PrettyCompactNoEscapesMonoBlock` and so on; without a terminal, escape sequences are never written. */
function prettyNames(name: string): readonly string[] {
  return [name, `${name}NoEscapes`, `${name}MonoBlock`, `${name}NoEscapesMonoBlock`];
}
