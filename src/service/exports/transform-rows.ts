// Rows of an export on their way from the engine into a file: redacted, and in the format.
import type { Column, Engine, Statement } from '../engine/engine.ts';
import { csvHeader } from '../formats/csv.ts';
import { firstLine } from '../formats/lines.ts';
import { isRedacting } from '../../guard/redact/demand.ts';
import { describeColumns, namesIn } from '../request/formats/encode-columns.ts';
import { redactRows } from '../request/formats/redacted-rows.ts';
import { timestampsOf } from '../request/formats/result-shape.ts';
import type { Plan } from '../request/plan.ts';
import type { RunContext } from '../request/run-statement.ts';
import type { Transformer } from '../request/transform/transformer.ts';
import type { Observe } from '../../sql/base/observation.ts';

export interface WriteDeps {
  readonly engine: Engine;
  readonly transformer: Transformer;
  readonly observe: Observe;
}

/** What runs for an export: its plan, with the statement to run. */
export interface ExportRun {
  readonly plan: Plan;
  readonly statement: Statement;
  readonly context: RunContext;
}

type TransformPiece = (
  lines: Uint8Array,
  isFirst: boolean,
  write: (bytes: Uint8Array) => Promise<void>,
) => Promise<void>;

/** How a piece of whole lines becomes bytes of the file, and is written. */
export async function transformOf(deps: WriteDeps, run: ExportRun): Promise<TransformPiece> {
  const { plan, context } = run;
  // Whole pieces are transformed on another thread, one after the other, beside the long rows of calls.
  const transformer = { ...deps.transformer, rows: deps.transformer.whole };
  const own = { signal: context.signal, key: `exports ${context.key ?? ''}` };
  const timestamps = plan.shape === 'bigquery' ? timestampsOf(await columnsOf(deps, run)) : undefined;
  const shaped = async (lines: Uint8Array): Promise<Uint8Array> => {
    if (plan.format === 'csv') return (await transformer.whole({ kind: 'csv' }, lines, own)).bytes;
    if (plan.shape !== 'bigquery') return lines;
    return (await transformer.whole({ kind: 'bigquery', timestamps }, lines, own)).bytes;
  };
  return async (lines, isFirst, write) => {
    const redacted = isRedacting(plan.redactor)
      ? await redactRows({ observe: deps.observe, transformer }, plan, lines, own)
      : lines;
    if (isFirst && plan.format === 'csv')
      await write(
        csvHeader(await namesIn({ engine: deps.engine, transformer }, firstLine(redacted), encodingOf(run))),
      );
    await write(await shaped(redacted));
  };
}

/** The columns of the statement. Throws Problem. */
export function columnsOf({ engine }: WriteDeps, run: ExportRun): Promise<readonly Column[]> {
  return describeColumns(engine, encodingOf(run));
}

function encodingOf({
  plan,
  statement,
  context,
}: ExportRun): Parameters<typeof describeColumns>[1] & { key: string | undefined } {
  const { signal, key, spending } = context;
  return { ...plan, format: 'csv', query: { ...plan.query, statement }, signal, key, spending };
}
