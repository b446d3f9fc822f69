// The formats of answers: what they are called in requests, and the media types that go with them.

export type FormatName = 'json' | 'ndjson' | 'csv' | 'parquet' | 'arrow';

export interface Format {
  /** What answers say they are. */
  readonly contentType: string;
  /** What a caller may write in Accept; the first is the registered one, or the most common where none is. */
  readonly mediaTypes: readonly string[];
}

/** In the order in which a caller that takes several gets them. */
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
  parquet: { contentType: 'application/vnd.apache.parquet', mediaTypes: ['application/vnd.apache.parquet'] },
  arrow: {
    contentType: 'application/vnd.apache.arrow.file',
    mediaTypes: ['application/vnd.apache.arrow.file'],
  },
};

/** Every media type, in that order. */
export const MEDIA_TYPES: readonly string[] = Object.values(FORMATS).flatMap(({ mediaTypes }) => mediaTypes);

/** The format of a name; undefined for a name that is none. */
export function formatNamed(name: string): FormatName | undefined {
  return Object.hasOwn(FORMATS, name) ? (name as FormatName) : undefined; // one of the table's own keys
}

/** The format that a media type stands for. */
export function formatOfMediaType(mediaType: string): FormatName | undefined {
  const [name] = Object.entries(FORMATS).find(([, { mediaTypes }]) => mediaTypes.includes(mediaType)) ?? [];
  return name === undefined ? undefined : formatNamed(name);
}
