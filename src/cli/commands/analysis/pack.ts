// The analysis cache as text: data whose size, hash and shape are checked when it is read.
import { hash } from 'node:crypto';
import type { SourceFile } from '../../../service/endpoints/include/sources.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { isCandidate, type CandidateRecord } from './head.ts';
import { isPair, type PairRecord } from './pair.ts';
import { isCount, isTuple, isList, isOneOf, isRecord, isText, matches, optional } from './shape.ts';

/** The checks found this about one file, which has no error that needs no engine if it has a candidate. */
export interface FileRecord {
  readonly path: string;
  readonly hash: string;
  /** It includes these, directly or not; they are positions in `sources`. */
  readonly sources: readonly number[];
  /** The day of the last run that needed it, since 1970. */
  readonly used: number;
  /** Found when it was compiled. */
  readonly compiled: readonly Finding[];
  /** Undefined: it is a shared file, or has errors. */
  readonly candidate?: CandidateRecord | undefined;
  /** Found in the file besides; undefined: they depend on the time of the run. */
  readonly own?: readonly Finding[] | undefined;
  /** Found by the engine; undefined: it was not asked, or another run may find something else. */
  readonly ofEngine?: readonly Finding[] | undefined;
}

/** The engine found this about the definitions of the tables. */
export interface SchemaRecord {
  readonly findings: readonly Finding[];
  /** Statements that were left out, by kind. */
  readonly skipped: readonly (readonly [kind: string, count: number])[];
  /** These could not be created; each has its key. */
  readonly broken: readonly (readonly [key: string, finding: Finding])[];
}

export function recordOfSchema({ findings, skipped, broken }: LoadedSchema): SchemaRecord {
  return { findings, skipped: [...skipped], broken: [...broken] };
}

export interface Pack {
  /** There is one for each state of the tables; the list is empty if none is known. */
  readonly schemas: readonly SchemaRecord[];
  readonly sources: readonly SourceFile[];
  readonly files: readonly FileRecord[];
  readonly pairs: readonly PairRecord[];
}

/** A larger pack is neither written nor read. */
export const MAX_PACK_BYTES = 2 ** 26;

/** The hash of the rest, a line break, and JSON that repeats the key. */
export function encodePack(key: string, pack: Pack): string {
  const body = JSON.stringify({ key, ...pack });
  return `${hash('sha256', body, 'hex')}\n${body}`;
}

/** Undefined: the text is not a whole pack of this key. */
export function decodePack(key: string, text: string): Pack | undefined {
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  if (end < 0 || text.slice(0, end) !== hash('sha256', body, 'hex')) return undefined;
  const value = parse(body);
  if (!isRecord(value) || value['key'] !== key) return undefined;
  const { key: _key, ...pack } = value;
  return isPack(pack) ? pack : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const isFinding = matches({
  file: isText,
  line: isCount,
  column: isCount,
  severity: isOneOf('error', 'warning'),
  code: isText,
  message: isText,
  hint: optional(isText),
  includedBy: optional(isText),
});

const areFindings = isList(isFinding);

const isSource = matches({
  name: isText,
  path: isText,
  text: optional(isText),
  problem: optional(isText),
});

const isSchema = matches({
  findings: areFindings,
  skipped: isList(isTuple(isText, isCount)),
  broken: isList(isTuple(isText, isFinding)),
});

const isFile = matches({
  path: isText,
  hash: isText,
  sources: isList(isCount),
  used: isCount,
  compiled: areFindings,
  candidate: optional(isCandidate),
  own: optional(areFindings),
  ofEngine: optional(areFindings),
});

const hasShape = matches({
  schemas: isList(isSchema),
  sources: isList(isSource),
  files: isList(isFile),
  pairs: isList(isPair),
});

function isPack(value: unknown): value is Pack {
  if (!hasShape(value)) return false;
  const { sources, files } = value as Pack; // it has the shape, but may name sources that it has not
  return files.every((file) => file.sources.every((at) => at < sources.length));
}
