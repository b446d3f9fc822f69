// Encodes rows, truncated and redacted, in the requested format.
import { csvHeader } from '../../formats/csv.ts';
import { encodeJson } from '../../formats/json.ts';
import type { Cut } from '../../formats/lines.ts';
import { timestampsOf } from './result-shape.ts';
import { joined } from '../transform/parts.ts';
import {
  type Encoding,
  type EncodingDeps,
  bufferOf,
  describeColumns,
  encodeColumns,
  namesIn,
} from './encode-columns.ts';

/** Encodes the response body. Throws Problem, such as `format.too_large`. */
export async function encodeRows(deps: EncodingDeps, cut: Cut, encoding: Encoding): Promise<Buffer> {
  const { lines, rows } = cut;
  switch (encoding.format) {
    case 'json':
      return encodeJson({ ...cut, lines: await shaped(deps, lines, encoding) });
    case 'ndjson':
      return bufferOf(await shaped(deps, lines, encoding));
    case 'csv': {
      const described = rows > 0 ? [] : await describeColumns(deps.engine, encoding);
      const names = rows > 0 ? await namesIn(deps, lines, encoding) : described.map(({ name }) => name);
      const { bytes } = await deps.transformer.rows({ kind: 'csv' }, lines, encoding);
      return joined([csvHeader(names), bytes], deps.transformer.pause);
    }
    case 'parquet':
      return encodeColumns(deps, cut, encoding, 'Parquet');
    case 'arrow':
      return encodeColumns(deps, cut, encoding, 'Arrow');
  }
}

/** The rows, redacted already, in the shape of the response. */
async function shaped(
  { engine, transformer }: EncodingDeps,
  lines: Uint8Array,
  encoding: Encoding,
): Promise<Uint8Array> {
  if (encoding.shape !== 'bigquery' || lines.length === 0) return lines;
  const timestamps = timestampsOf(await describeColumns(engine, encoding));
  return (await transformer.rows({ kind: 'bigquery', timestamps }, lines, encoding)).bytes;
}
