// Results in the engine's own formats, for ClickHouse clients: written by the engine, with its types and its defaults.
import { Problem } from '../../../sql/base/problem.ts';
import { EngineError } from '../../engine/engine.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';
import { contentTypeOf } from '../../formats/formats.ts';
import { isRedacting } from '../../../guard/redact/demand.ts';
import { asDeclared } from './native/blocks.ts';
import { BINARY, writeRedacted } from './redacted-format.ts';
import { observeFound, redactionOf } from './redacted-rows.ts';
import { withoutRowsRead } from './rows-read.ts';
import { hasLimit, reportsRowsBefore, withRowsBefore } from './rows-before-limit.ts';
import type { NamedType } from '../transform/redacted-columns.ts';
import { runInFormat, type RunContext, type Produced } from '../run-statement.ts';
import {
  type Counted,
  type EngineFormatDeps,
  type EnginePlan,
  checkOverflow,
  columnsRun,
  mostRows,
  runOwn,
} from './run-written.ts';
import { withTail } from './result-tail.ts';

/** Runs a plan and encodes its result. Throws Problem. */
export async function produceEngineFormat(
  deps: EngineFormatDeps,
  plan: EnginePlan,
  context: RunContext,
): Promise<Produced> {
  const started = deps.clock.monotonic();
  const run = isRedacting(plan.redactor) ? runRedacted : runOwn;
  const {
    bytes: written,
    rows,
    truncated,
    queueMs,
    encodeMs,
    read,
    rollup,
    columns,
  } = await run(deps, plan, context).catch((error: unknown) => {
    throw notWritable(error, plan.format) ?? error;
  });
  const { pause } = deps.transformer;
  const bytes = await withTail({ format: plan.format, written, pause }, (end) => {
    if (!reportsRowsBefore(plan.format.engine)) return withoutRowsRead(plan.format, end, rows);
    const { consumerQuery } = plan.query;
    const isCut = truncated || consumerQuery === undefined || hasLimit(consumerQuery.canonicalSql);
    return withoutRowsRead(plan.format, withRowsBefore(end, isCut ? rows : undefined), rows);
  });
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const columnsOf = async () => columns ?? (await columnsRun(deps, plan, context));
  const engineMs = deps.clock.monotonic() - started - queueMs - encodeMs;
  return {
    body: await asDeclared(body, plan.format, columnsOf),
    rows,
    truncated,
    contentType: contentTypeOf(plan.format),
    timing: { queue: queueMs, engine: engineMs, redact: 0, encode: encodeMs },
    read,
    rollup,
  };
}

/** The engine's messages about a type that a format does not support. */
const UNSUPPORTED_TYPE =
  /not supported (?:for|in) (?:Avro|BSON|MsgPack|ORC) output|not supported for conversion into Parquet|Parquet doesn't support empty tuples/;

/** The problem if a failure is the format's, which the query would not have in others. */
function notWritable(error: unknown, { engine }: EngineFormat): Problem | undefined {
  const cause = error instanceof Problem ? error.cause : error;
  if (!(cause instanceof EngineError)) return undefined;
  if (UNSUPPORTED_TYPE.test(cause.message))
    return new Problem('format.not_acceptable', {
      detail: `${engine} does not support the type of one of the columns`,
      hint: 'Convert the column in the query, for example with toString, or use another FORMAT.',
      cause,
    });
  if (engine === 'Avro' && /avro::Exception.* Invalid name/.test(cause.message))
    return new Problem('format.not_acceptable', {
      detail: 'In Avro, names of columns have only letters, digits and _, and begin with no digit',
      hint: 'Give the column another name, with AS, or use another FORMAT.',
      cause,
    });
  return undefined;
}

/** With redaction, the second layer has to see the values whatever the format. */
async function runRedacted(
  { engine, bulkhead, clock, observe, transformer }: EngineFormatDeps,
  plan: EnginePlan,
  context: RunContext,
): Promise<Counted> {
  const { format, query } = plan;
  const now = clock.monotonic;
  const result = await runInFormat({ engine, bulkhead, now }, plan, context, { format: BINARY });
  const ran = now();
  const writing = {
    engine,
    query,
    format,
    most: mostRows(plan),
    redactColumns: async (columns: readonly NamedType[], lines: Uint8Array) => {
      const redaction = redactionOf(plan);
      const redacted = await transformer.whole(
        { kind: 'redact_columns', redaction, columns },
        lines,
        context,
      );
      observeFound(observe, plan, redacted);
      return { bytes: redacted.bytes, columns: redacted.columns ?? [] };
    },
    signal: context.signal,
    spending: context.spending,
  };
  const { body, rows, truncated, columns } = await writeRedacted(writing, result.bytes);
  if (truncated) checkOverflow(format, rows + 1);
  return { ...result, bytes: body, rows, truncated, columns, encodeMs: now() - ran };
}
