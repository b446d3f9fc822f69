// The response formats: their names in requests and their media types.
import { ENGINE_FORMATS, engineFormatNamed, type EngineFormat } from './clickhouse-formats.ts';

export type FormatName = 'json' | 'ndjson' | 'csv' | 'parquet' | 'arrow';

export interface Format {
  /** Content-Type of responses. */
  readonly contentType: string;
  /** Media types accepted in Accept. The first is the registered one, or the most common if none is registered. */
  readonly mediaTypes: readonly string[];
  /** It is true if bodies are compressed as they are, so that Content-Encoding would gain nothing. */
  readonly isCompressed?: true;
}

/** In order of preference for callers that accept several. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  json: { contentType: 'application/json; charset=utf-8', mediaTypes: ['application/json'] },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    mediaTypes: [
      'application/x-ndjson',
      'application/ndjson',
      'application/jsonl',
      'application/x-jsonlines',
    ],
  },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', mediaTypes: ['text/csv'] }, // RFC 4180
  parquet: {
    contentType: 'application/vnd.apache.parquet',
    mediaTypes: ['application/vnd.apache.parquet'],
    isCompressed: true,
  },
  arrow: {
    contentType: 'application/vnd.apache.arrow.file',
    mediaTypes: ['application/vnd.apache.arrow.file'],
  },
};

/** All media types, in order of preference. */
export const MEDIA_TYPES: readonly string[] = Object.values(FORMATS).flatMap(({ mediaTypes }) => mediaTypes);

/** The format with this name, if there is one. */
export function formatNamed(name: string): FormatName | undefined {
  return Object.hasOwn(FORMATS, name) ? (name as FormatName) : undefined; // a key of the table
}

/** The formats by media type with the parameters that responses declare, in order of preference. */
export const OFFERED_TYPES: ReadonlyMap<string, FormatName> = new Map(
  Object.entries(FORMATS).flatMap(([name, { contentType, mediaTypes }]) => {
    const parameters = /;.*/.exec(contentType)?.[0] ?? '';
    return mediaTypes.map((type) => [`${type}${parameters}`, name as FormatName] as const); // a key of the table
  }),
);

/** The Content-Type of responses in a format. */
export function contentTypeOf(format: FormatName | EngineFormat): string {
  if (typeof format === 'string') return FORMATS[format].contentType;
  return engineFormatNamed(format.engine)?.contentType ?? 'application/octet-stream';
}

/** The Content-Types of all formats. */
export const CONTENT_TYPES: ReadonlySet<string> = new Set(
  [...Object.values(FORMATS), ...ENGINE_FORMATS].map(({ contentType }) => contentType),
);

/** Identifies a format, with everything about it that changes a response. */
export function formatKey(format: FormatName | EngineFormat): string {
  if (typeof format === 'string') return format;
  const { engine, settings, resultRows, hasZones = false } = format;
  return JSON.stringify([engine, Object.entries(settings), resultRows ?? null, hasZones]);
}
