// What the service does to rows after the engine wrote them, as values that can be sent to a thread.
import { bigqueryShape, type Timestamps } from '../../formats/bigquery-shape.ts';
import { csvRows } from '../../formats/csv.ts';
import { membersOf } from '../../formats/member.ts';
import { linesOf, namesOf } from '../../formats/members.ts';
import type { Redactor, RedactorOptions } from '../../../guard/redact/redactor.ts';
import { redactColumns, type KeptColumn, type NamedType } from './redacted-columns.ts';

/** `Compiled`: the redactor, or in a message to a thread its options. */
export type Transform<Compiled = Redactor> =
  | Redaction<Compiled>
  /** The columns that redaction changes, of rows with all columns; the first row has only names. */
  | {
      readonly kind: 'redact_columns';
      readonly redaction: Redaction<Compiled>;
      readonly columns: readonly NamedType[];
    }
  | { readonly kind: 'bigquery'; readonly timestamps: Timestamps | undefined }
  | { readonly kind: 'csv' }
  /** The names of the members of one row, as a list in JSON. */
  | { readonly kind: 'names' }
  /** Members of one row by their names, as a list in JSON: see `membersOf`. */
  | { readonly kind: 'members'; readonly names: readonly string[] }
  /** The newest time of a member that is not after `until`, in milliseconds since 1970 as a line; nothing if no row has one. */
  | { readonly kind: 'newest'; readonly name: string; readonly until: number };

export interface Redaction<Compiled = Redactor> {
  readonly kind: 'redact';
  readonly redactor: Compiled;
  /** It is true if the source of the rows is redacted already. */
  readonly isAfterSource: boolean;
}

export interface Transformed {
  /** The same array if nothing is changed. */
  readonly bytes: Uint8Array;
  /** What was found after the source was redacted: the number of matches by detector. */
  readonly found: Readonly<Record<string, number>>;
  /** Of the kind `redact_columns`. */
  readonly columns?: readonly KeptColumn[];
}

/** Transforms whole rows in JSONEachRow. */
export function apply(transform: Transform, lines: Uint8Array): Transformed {
  switch (transform.kind) {
    case 'redact':
      return redact(transform, lines);
    case 'redact_columns': {
      const { columns, redaction } = transform;
      const { bytes: after, found } = redact(redaction, lines);
      const redactNames = (name: Uint8Array): Uint8Array => redact(redaction, name).bytes;
      const { redactText } = redaction.redactor;
      return { found, ...redactColumns({ columns, redactNames, redactText }, lines, after) };
    }
    case 'bigquery':
      return { bytes: bigqueryShape(lines, transform.timestamps), found: {} };
    case 'csv':
      return { bytes: csvRows(lines), found: {} };
    case 'names':
      return { bytes: jsonOf(namesOf(linesOf(lines)[0] ?? '')), found: {} };
    case 'members':
      return { bytes: jsonOf(membersOf(linesOf(lines)[0] ?? '', transform.names)), found: {} };
    case 'newest': {
      const newest = newestIn(lines, transform);
      return { bytes: Buffer.from(newest === undefined ? '' : `${newest}\n`), found: {} };
    }
  }
}

function redact({ redactor, isAfterSource }: Redaction, lines: Uint8Array): Transformed {
  if (!isAfterSource) return { bytes: redactor.redactLines(lines), found: {} };
  const found: Record<string, number> = {};
  const bytes = redactor.afterSource.redactLines(lines, (name) => {
    found[name] = (found[name] ?? 0) + 1;
  });
  return { bytes, found };
}

function newestIn(
  lines: Uint8Array,
  { name, until }: { readonly name: string; readonly until: number },
): number | undefined {
  let newest: number | undefined;
  for (const line of linesOf(lines)) {
    const [text] = membersOf(line, [name]);
    const time = text === undefined ? NaN : Date.parse(text);
    if (time <= until && !(newest !== undefined && newest >= time)) newest = time;
  }
  return newest;
}

function jsonOf(list: readonly (string | undefined)[]): Buffer {
  return Buffer.from(JSON.stringify(list.map((each) => each ?? null)));
}

/** The transform with another form of its redactor. */
export function withRedactor<From, To>(
  transform: Transform<From>,
  change: (redactor: From) => To,
): Transform<To> {
  switch (transform.kind) {
    case 'redact':
      return { ...transform, redactor: change(transform.redactor) };
    case 'redact_columns': {
      const { redaction } = transform;
      return { ...transform, redaction: { ...redaction, redactor: change(redaction.redactor) } };
    }
    case 'bigquery':
    case 'csv':
    case 'names':
    case 'members':
    case 'newest':
      return transform;
  }
}

/** What a thread is sent. */
export interface TransformRequest {
  readonly transform: Transform<RedactorOptions>;
  readonly lines: Uint8Array;
}

/** What a thread sends back. `bytes` is undefined if nothing is changed. */
export type TransformReply =
  | ({ readonly kind: 'done'; readonly bytes: Uint8Array | undefined } & Omit<Transformed, 'bytes'>)
  /** A text would be longer than V8 allows. */
  | { readonly kind: 'too_large' };
