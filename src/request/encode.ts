// Encodes rows, truncated and redacted, in the requested format.
import type { ResultShape } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import { EngineError, type Column, type Engine, type RunHooks } from '../engine/engine.ts';
import { readAll } from '../engine/rows.ts';
import { bigqueryShape } from '../format/bigquery-shape.ts';
import { csvHeader, csvRows } from '../format/csv.ts';
import type { FormatName } from '../format/formats.ts';
import { encodeJson } from '../format/json.ts';
import { inSlices, type Cut } from '../format/lines.ts';
import type { Redactor } from '../redact/redactor.ts';
import { describeAfterRun } from './analyses.ts';
import { columnarStatement } from './columnar.ts';
import { runProblem } from './engine-problems.ts';
import type { Plan } from './plan.ts';
import { timestampsOf } from './result-shape.ts';
import type { Spending } from './spending.ts';

export interface Encoding {
  readonly format: FormatName;
  /** Undefined for formats that have none. */
  readonly shape: ResultShape | undefined;
  readonly plan: Plan;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** Counts what encoding costs; undefined: it is counted against no budget. */
  readonly spending?: Pick<Spending, 'beside'> | undefined;
}

/** The engine parses statements of up to 8 MiB; this leaves room for escaping. */
const MAX_COLUMNAR_BYTES = 6 * 2 ** 20;

/** Encodes the response body. Throws Problem, such as `format.too_large`. */
export async function encodeRows(engine: Engine, cut: Cut, encoding: Encoding): Promise<Buffer> {
  const { lines, rows } = cut;
  switch (encoding.format) {
    case 'json':
      return encodeJson({ ...cut, lines: await shaped(engine, lines, encoding) });
    case 'ndjson':
      return shaped(engine, lines, encoding);
    case 'csv':
      return Buffer.concat([
        csvHeader(lines, rows > 0 ? [] : (await describeColumns(engine, encoding)).map(({ name }) => name)),
        await inSlices(lines, csvRows),
      ]);
    case 'parquet':
      return encodeColumns(engine, cut, encoding, 'Parquet');
    case 'arrow':
      return encodeColumns(engine, cut, encoding, 'Arrow');
  }
}

/** The rows, redacted already, in the shape of the response. */
async function shaped(engine: Engine, lines: Uint8Array, encoding: Encoding): Promise<Buffer> {
  if (encoding.shape !== 'bigquery' || lines.length === 0) return bufferOf(lines);
  const timestamps = timestampsOf(await describeColumns(engine, encoding));
  return bufferOf(await inSlices(lines, (slice) => bigqueryShape(slice, timestamps)));
}

function bufferOf(lines: Uint8Array): Buffer {
  return Buffer.from(lines.buffer, lines.byteOffset, lines.length);
}

async function describeColumns(
  engine: Engine,
  { plan, signal, spending }: Encoding,
): Promise<readonly Column[]> {
  return describeAfterRun(engine, plan.statement, spending).catch((cause: unknown) => {
    throw runProblem(cause, plan, signal);
  });
}

/** The engine encodes the rows after redaction, so redacted data is in no columnar format either. */
async function encodeColumns(
  engine: Engine,
  { lines }: Cut,
  encoding: Encoding,
  format: 'Parquet' | 'Arrow',
): Promise<Buffer> {
  const { plan, redactor, signal, spending } = encoding;
  if (lines.length > MAX_COLUMNAR_BYTES) throw new Problem('format.too_large');
  const [first = ''] = Buffer.from(lines.buffer, lines.byteOffset, Math.min(lines.length, 2 ** 20))
    .toString()
    .split('\n');
  const present = first === '' ? undefined : new Set(Object.keys(JSON.parse(first) as object)); // a row that the engine wrote
  const described = await describeColumns(engine, encoding);
  const columns = described.map(({ name, type }) => ({
    name,
    type: redactor.treats(name) ? 'Nullable(String)' : type,
  }));
  const sql = columnarStatement(lines, { columns, present });
  const statement = { ...plan.statement, sql, parameters: {}, origin: 'saved' } as const;
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

/** The engine produced rows that it cannot write in the format; the caller chose the format. */
function formatProblem(cause: unknown, { plan, signal }: Encoding): unknown {
  if (!(cause instanceof EngineError)) return cause;
  const options = { hint: 'Request json, csv or ndjson.', cause };
  if (cause.failure === 'rejected') return new Problem('format.not_acceptable', options);
  const isLarge = cause.failure === 'memory' || cause.failure === 'limit';
  return isLarge ? new Problem('format.too_large', options) : runProblem(cause, plan, signal);
}
