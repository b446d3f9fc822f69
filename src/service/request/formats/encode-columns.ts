// Writes rows in a columnar format: the engine encodes them after redaction, so redacted data is in no such format either.
import type { ResultShape } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { EngineError, type Column, type Engine, type RunHooks } from '../../engine/engine.ts';
import { readAll } from '../../engine/rows.ts';
import type { FormatName } from '../../formats/formats.ts';
import { firstLine, type Cut } from '../../formats/lines.ts';
import type { Redactor } from '../../../guard/redact/redactor.ts';
import { describeAfterRun } from '../consumer/analyses.ts';
import { columnarStatement } from './columnar.ts';
import { runProblem } from '../engine-problems.ts';
import type { Spending } from '../limits/spending.ts';
import type { Transformer } from '../transform/transformer.ts';
import type { PlannedQuery } from '../planned-query.ts';

export interface Encoding {
  readonly format: FormatName;
  /** It is undefined for formats that have none. */
  readonly shape: ResultShape | undefined;
  readonly query: PlannedQuery;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly key: string | undefined;
  /** It counts what encoding costs; if it is undefined, no budget is charged. */
  readonly spending?: Pick<Spending, 'beside'> | undefined;
}

/** The engine parses statements of up to 8 MiB; this leaves room for escaping. */
const MAX_COLUMNAR_BYTES = 6 * 2 ** 20;

export interface EncodingDeps {
  readonly engine: Engine;
  readonly transformer: Transformer;
}

/** Returns the names in the first row. */
export async function namesIn(
  { transformer }: EncodingDeps,
  lines: Uint8Array,
  encoding: Encoding,
): Promise<readonly string[]> {
  const { bytes } = await transformer.whole({ kind: 'names' }, firstLine(lines), encoding);
  return JSON.parse(bufferOf(bytes).toString()) as readonly string[]; // what the transform writes
}

export function bufferOf(lines: Uint8Array): Buffer {
  return Buffer.from(lines.buffer, lines.byteOffset, lines.length);
}

export async function describeColumns(
  engine: Engine,
  { query, signal, spending }: Encoding,
): Promise<readonly Column[]> {
  return describeAfterRun(engine, query.statement, spending).catch((cause: unknown) => {
    throw runProblem(cause, query, signal);
  });
}

/** The engine encodes the rows after redaction, so redacted data is in no columnar format either. */
export async function encodeColumns(
  deps: EncodingDeps,
  { lines, rows }: Cut,
  encoding: Encoding,
  format: 'Parquet' | 'Arrow',
): Promise<Buffer> {
  const { query, redactor, signal, spending } = encoding;
  if (lines.length > MAX_COLUMNAR_BYTES) throw new Problem('format.too_large');
  const { engine } = deps;
  const present = rows === 0 ? undefined : new Set(await namesIn(deps, lines, encoding));
  const described = await describeColumns(engine, encoding);
  const columns = described.map(({ name, type }) => ({
    name,
    type: redactor.treats(name) ? 'Nullable(String)' : type,
  }));
  const sql = columnarStatement(lines, { columns, present });
  const statement = { ...query.statement, sql, parameters: {}, origin: 'saved' } as const;
  try {
    const write = async ({ onStart }: RunHooks = {}): Promise<Uint8Array> => {
      const { chunks } = await engine.run(statement, { format, signal, ...(onStart && { onStart }) });
      return readAll(chunks);
    };
    const bytes = await (spending === undefined ? write() : spending.beside(write));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  } catch (cause) {
    throw formatProblem(cause, encoding);
  }
}

/** The caller chose the format, so it is the caller's problem if the engine cannot write the rows in it. */
function formatProblem(cause: unknown, { query, signal }: Encoding): unknown {
  if (!(cause instanceof EngineError)) return cause;
  const options = { hint: 'Request json, csv or ndjson.', cause };
  if (cause.failure === 'rejected') return new Problem('format.not_acceptable', options);
  const isLarge = cause.failure === 'memory' || cause.failure === 'limit';
  return isLarge ? new Problem('format.too_large', options) : runProblem(cause, query, signal);
}
