// Writes the result of a plan into a file as it arrives: redacted and encoded piece by piece, and never more of it in memory than that.
import { open, type FileHandle } from 'node:fs/promises';
import { csvHeader } from '../formats/csv.ts';
import { Problem } from '../../sql/base/problem.ts';
import { streamStatement } from '../request/stream-statement.ts';
import { columnarStatement } from './columns.ts';
import { piecesOf } from './pieces.ts';
import { columnsOf, transformOf, type ExportRun, type WriteDeps } from './transform-rows.ts';

export interface ExportOutput {
  readonly path: string;
  readonly maxRows: number;
  /** Called before bytes are written. Throws Problem if there is no space for them. */
  readonly onBytes: (bytes: number) => void;
  readonly onRows: (rows: number) => void;
}

/** Resolves to the number of rows once the file is whole and on the disk. Throws Problem and EngineError; the file is not removed. */
export async function writeExport(deps: WriteDeps, run: ExportRun, output: ExportOutput): Promise<number> {
  const file = await open(output.path, 'wx', 0o600).catch(failOnFullDisk);
  try {
    const write = writerOf(file, output);
    const isColumnar = run.plan.format === 'parquet' || run.plan.format === 'arrow';
    const rows = await (isColumnar ? writeColumns : writeRows)(deps, run, { ...output, write });
    checkRows(rows, output.maxRows);
    await file.sync().catch(failOnFullDisk);
    return rows;
  } finally {
    await file.close();
  }
}

interface Writing extends ExportOutput {
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

function writerOf(file: FileHandle, { onBytes }: ExportOutput): Writing['write'] {
  return async (bytes) => {
    if (bytes.length === 0) return;
    onBytes(bytes.length);
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, at).catch(failOnFullDisk);
      at += bytesWritten;
    }
  };
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function failOnFullDisk(cause: NodeJS.ErrnoException): never {
  if (FULL.has(cause.code))
    throw new Problem('export.disk_full', { detail: 'The disk of the data folder is full', cause });
  throw cause;
}

function checkRows(rows: number, maxRows: number): void {
  if (rows <= maxRows) return;
  throw new Problem('export.too_many_rows', { detail: `The result has more than ${maxRows} rows` });
}

/** The engine writes the file; nothing in it is redacted. */
async function writeColumns(deps: WriteDeps, run: ExportRun, writing: Writing): Promise<number> {
  const { plan, context, statement } = run;
  const columns = await columnsOf(deps, run);
  let rows: number | undefined;
  const chunks = streamStatement(deps.engine, plan, context, {
    statement: columnarStatement(plan, statement, columns),
    format: plan.format === 'parquet' ? 'Parquet' : 'Arrow',
    onEnd: (count) => {
      rows = count;
    },
  });
  for await (const chunk of chunks) await writing.write(chunk);
  if (rows === undefined)
    throw new Problem('engine.invalid_response', { detail: 'The engine does not report the number of rows' });
  writing.onRows(rows);
  return rows;
}

async function writeRows(deps: WriteDeps, run: ExportRun, writing: Writing): Promise<number> {
  const { engine } = deps;
  const { plan, context, statement } = run;
  const transform = await transformOf(deps, run);
  const chunks = streamStatement(engine, plan, context, { statement, format: 'JSONEachRow' });
  let rows = 0;
  for await (const piece of piecesOf(chunks)) {
    rows += piece.rows;
    checkRows(rows, writing.maxRows);
    await transform(piece.lines, rows === piece.rows, writing.write);
    writing.onRows(rows);
  }
  if (rows === 0 && plan.format === 'csv') {
    const described = await columnsOf(deps, run);
    await writing.write(csvHeader(described.map(({ name }) => name)));
  }
  return rows;
}
