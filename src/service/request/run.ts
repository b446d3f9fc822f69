// Runs a plan on the engine: its rows are cut, redacted and encoded, so that nothing unredacted is ever cached.
import { etagInParts } from '../cache/entry.ts';
import { contentTypeOf } from '../formats/formats.ts';
import { cutLines } from '../formats/lines.ts';
import { encodeRows } from './formats/encode-rows.ts';
import type { Encoding } from './formats/encode-columns.ts';
import { produceEngineFormat } from './formats/engine-format.ts';
import type { EngineFormatDeps, EnginePlan } from './formats/run-written.ts';
import { redactRows } from './formats/redacted-rows.ts';
import { cutPage } from './pages/cut-page.ts';
import type { Plan } from './plan.ts';
import type { SharedFailures } from './reading/shared-failures.ts';
import { newestOfLines, newestOfStatement, type AgeDeps } from './reading/data-age.ts';
import { runQuery, type RunContext, type Produced } from './run-statement.ts';
import type { Transformer } from './transform/transformer.ts';

export interface RunPlanDeps extends Omit<EngineFormatDeps, 'clock'>, AgeDeps {
  readonly transformer: Transformer;
  readonly failures: SharedFailures;
}

/** The result of a plan, encoded. Throws Problem. */
export async function run(deps: RunPlanDeps, plan: Plan, context: RunContext): Promise<Produced> {
  const { format } = plan;
  try {
    const produced =
      typeof format === 'string'
        ? await produceRows(deps, { ...plan, format }, context)
        : await produceWritten(deps, { ...plan, format }, context);
    return { ...produced, etag: await etagInParts(produced.body, deps.transformer.pause) };
  } catch (cause) {
    deps.failures.note(cause, plan.query);
    throw cause;
  }
}

/** The engine writes the result, of which the service does not read the rows. Throws Problem. */
async function produceWritten(deps: RunPlanDeps, plan: EnginePlan, context: RunContext): Promise<Produced> {
  const newest = await newestOfStatement(deps, plan, context);
  return { ...(await produceEngineFormat(deps, plan, context)), newest };
}

/** Runs the query, truncates the rows, redacts them and encodes the rest. Throws Problem. */
async function produceRows(
  deps: RunPlanDeps,
  plan: Plan & Pick<Encoding, 'format'>,
  context: RunContext,
): Promise<Produced> {
  const { engine, bulkhead, clock, transformer } = deps;
  const now = clock.monotonic;
  const started = now();
  const { lines, queueMs, read, rollup } = await runQuery({ engine, bulkhead, now }, plan, context);
  const ran = now();
  const { maxRows } = plan.endpoint;
  const cut =
    plan.page === undefined
      ? cutLines(lines, maxRows)
      : await cutPage({ transformer, context }, lines, plan.page, maxRows);
  const newest = await newestOfLines(deps, plan, cut.lines, context);
  const redacted = { ...cut, lines: await redactRows(deps, plan, cut.lines, context) };
  const cleaned = now();
  const { signal, key, spending } = context;
  const body = await encodeRows({ engine, transformer }, redacted, { key, spending, ...plan, signal });
  const { rows, truncated, next } = cut;
  const contentType = contentTypeOf(plan.format);
  const engineMs = ran - started - queueMs;
  const timing = { queue: queueMs, engine: engineMs, redact: cleaned - ran, encode: now() - cleaned };
  const cost = { rowsRead: read?.rows, bytesRead: read?.bytes, engineMs };
  return { body, rows, truncated, next, contentType, timing, read, rollup, cost, newest };
}
