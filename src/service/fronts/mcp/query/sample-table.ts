// Samples one table with a small query, whose rows show frequent values.
import { referenceOf } from '../../../endpoints/endpoint.ts';
import { Problem, type ProblemCode } from '../../../../sql/base/problem.ts';
import type { VisibleTable } from '../../../request/consumer/visible-tables.ts';
import type { Caller } from '../caller.ts';
import { parseExact } from '../../../formats/exact-json.ts';
import { plainText } from '../endpoints/table-text.ts';
import { requiredParameters } from './endpoint-text.ts';
import type { OpenEndpoint } from './open-endpoints.ts';
import { fieldsOf, type QueryArguments } from './read-arguments.ts';
import { isReturnable, readSample, sampleFields, type Sample } from './sample.ts';

/** At most this many bytes of a sample are parsed, since the event loop waits for it. */
const MAX_SAMPLE_BYTES = 2 ** 20;

export interface Sampled {
  /** It is undefined if no table was sampled. */
  readonly table: { readonly name: string; readonly sample: Sample } | undefined;
  readonly notes: readonly string[];
}

/** Samples the only table; several are not sampled, so that a description costs at most one query. */
export async function sampleOne(
  open: OpenEndpoint,
  [table, second]: readonly VisibleTable[],
  { parameters }: QueryArguments,
  caller: Caller,
): Promise<Sampled> {
  if (table === undefined || second !== undefined)
    return { table: undefined, notes: ['values: shown if the argument table names one'] };
  if (table.conditional === true)
    return { table: undefined, notes: ['values: shown with the parameters that this table depends on'] };
  const missing = requiredParameters(open, caller.principal).filter((name) => !parameters.has(name));
  if (missing.length > 0)
    return { table: undefined, notes: [`values: not shown without the parameters ${missing.join(', ')}`] };
  try {
    const sample = await readRows(open, table, parameters, caller);
    return { table: { name: table.name, sample }, notes: [] };
  } catch (error) {
    if (!(error instanceof Problem) || !WITHOUT_VALUES.has(error.code)) throw error;
    return {
      table: undefined,
      notes: [`values: not available (${error.code}): ${plainText(error.message)}`],
    };
  }
}

/** If one of these problems keeps the query from running, a table is described without values. */
const WITHOUT_VALUES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'sandbox.min_group',
  'query.too_expensive',
  'query.failed',
  'engine.timeout',
]);

async function readRows(
  open: OpenEndpoint,
  { name, columns: all }: VisibleTable,
  parameters: QueryArguments['parameters'],
  caller: Caller,
): Promise<Sample> {
  const columns = all.filter(({ conditional }) => conditional !== true);
  if (!columns.some(isReturnable)) return { rows: 0, paths: [] };
  const fields = fieldsOf(parameters, sampleFields(open, name, columns));
  const { body } = await caller.answer(referenceOf(open.endpoint), fields, 'ndjson');
  const end = body.length <= MAX_SAMPLE_BYTES ? body.length : body.lastIndexOf('\n', MAX_SAMPLE_BYTES);
  if (end < 0)
    throw new Problem('query.too_expensive', { detail: 'The rows of this table are too large for a sample' });
  const lines = body
    .subarray(0, end)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  const rows = lines.map((line) => parseExact(line) as Readonly<Record<string, unknown>>); // rows that the engine wrote
  return readSample(columns, rows);
}
