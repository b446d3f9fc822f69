// Encodes rows, redacted and cut to size, in the requested format.
import { Problem } from '../core/problem.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { columnarStatement } from './columnar.ts';
import { encodeCsv } from '../format/csv.ts';
import type { FormatName } from '../format/formats.ts';
import { encodeJson } from '../format/json.ts';
import type { Cut } from '../format/lines.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { Plan } from './plan.ts';

export interface Encoding {
  readonly format: FormatName;
  readonly plan: Plan;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/** The engine parses statements of up to 8 MiB; this leaves room for escaping. */
const MAX_COLUMNAR_BYTES = 6 * 2 ** 20;

/** Encodes the response body. Throws Problem `format.too_large`; rejects with EngineError. */
export async function encodeRows(engine: Engine, cut: Cut, encoding: Encoding): Promise<Buffer> {
  const { lines, rows } = cut;
  switch (encoding.format) {
    case 'json':
      return encodeJson(cut);
    case 'ndjson':
      return Buffer.from(lines.buffer, lines.byteOffset, lines.length);
    case 'csv':
      return encodeCsv(lines, rows > 0 ? [] : await namesOf(engine, encoding.plan));
    case 'parquet':
    case 'arrow':
      return encodeColumns(engine, cut, encoding);
  }
}

async function namesOf(engine: Engine, { statement }: Plan): Promise<readonly string[]> {
  return (await engine.describe(statement)).map(({ name }) => name);
}

/** The engine encodes the rows after redaction, so redacted data is in no columnar format either. */
async function encodeColumns(engine: Engine, { lines }: Cut, encoding: Encoding): Promise<Buffer> {
  const { plan, redactor, format, signal } = encoding;
  if (lines.length > MAX_COLUMNAR_BYTES) throw new Problem('format.too_large');
  const [first = ''] = Buffer.from(lines.buffer, lines.byteOffset, Math.min(lines.length, 2 ** 20))
    .toString()
    .split('\n');
  const present = first === '' ? undefined : new Set(Object.keys(JSON.parse(first) as object)); // a row that the engine wrote
  const described = await engine.describe(plan.statement);
  const columns = described.map(({ name, type }) => ({
    name,
    type: redactor.treats(name) ? 'Nullable(String)' : type,
  }));
  const sql = columnarStatement(lines, { columns, present });
  const statement = { ...plan.statement, sql, parameters: {}, origin: 'saved' } as const;
  try {
    const { chunks } = await engine.run(statement, {
      format: format === 'parquet' ? 'Parquet' : 'Arrow',
      signal,
    });
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    return Buffer.concat(parts);
  } catch (cause) {
    throw formatFailure(cause);
  }
}

/** The engine produced rows that it cannot write in the format; the caller chose the format. */
function formatFailure(cause: unknown): unknown {
  if (!(cause instanceof EngineError)) return cause;
  const options = { hint: 'Request json, csv or ndjson.', cause };
  if (cause.failure === 'rejected') return new Problem('format.not_acceptable', options);
  const isLarge = cause.failure === 'memory' || cause.failure === 'limit';
  return isLarge ? new Problem('format.too_large', options) : cause;
}
