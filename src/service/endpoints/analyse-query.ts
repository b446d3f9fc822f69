// Has the engine analyse a query whose parameters need values: tries sample values until one combination works.
import { EngineError, type Column } from '../engine/engine.ts';
import { engineSentence } from '../engine/engine-sentence.ts';
import { placeholdersIn } from '../../sql/clickhouse/tree/lexemes.ts';
import type { SampleValues } from './samples.ts';

/** The result of an analysis. */
export type QueryAnalysis =
  | { readonly kind: 'described'; readonly columns: readonly Column[]; readonly values: SampleValues }
  /** Every combination was rejected, by functions that need another value. The columns are unknown if they depend on it. */
  | {
      readonly kind: 'value_needed';
      readonly columns: readonly Column[] | undefined;
      readonly failure: EngineError;
    }
  /** The query is rejected whatever the values are. */
  | { readonly kind: 'rejected'; readonly failure: EngineError };

/** Describes the result of `sql`. Rejects with EngineError. */
export type DescribeSql = (sql: string, values: SampleValues) => Promise<readonly Column[]>;

/**
 * ClickHouse's codes of rejections that no value changes: unknown columns, tables and functions, syntax, numbers of arguments,
 * types that have nothing in common, and aggregation.
 */
const OF_STRUCTURE: ReadonlySet<number> = new Set([10, 34, 35, 42, 46, 47, 53, 60, 81, 184, 215, 386]);

function isOfStructure({ engineCode = 0, message }: EngineError): boolean {
  // Functions report their own patterns as syntax errors as well.
  return OF_STRUCTURE.has(engineCode) || (engineCode === 62 && message.includes('Syntax error'));
}

/**
 * Tries the combinations in order, the first one that works being the result: in the normal case one call. Rejects with
 * EngineError only if the engine could not answer.
 */
export async function analyseQuery(
  sql: string,
  samples: readonly SampleValues[],
  describe: DescribeSql,
): Promise<QueryAnalysis> {
  const ask = (text: string, values: SampleValues) => describe(text, values).catch(rejectionOf);
  const variable = withoutConstants(sql);
  let first: EngineError | undefined;
  let columns: readonly Column[] | undefined;
  for (const values of samples) {
    const answer = await ask(sql, values);
    if (!(answer instanceof EngineError)) return { kind: 'described', columns: answer, values };
    if (isOfStructure(answer) || variable === sql) return { kind: 'rejected', failure: answer };
    if (first !== undefined) continue;
    first = answer;
    const unbound = await ask(variable, values);
    if (!(unbound instanceof EngineError)) columns = unbound;
    else if (isSame(unbound, answer)) return { kind: 'rejected', failure: answer };
  }
  const failure = first ?? new EngineError('rejected', 'no values to analyse the query with');
  return { kind: 'value_needed', columns, failure };
}

/** The error of a query that the engine rejects; throws any other. */
export function rejectionOf(cause: unknown): EngineError {
  if (cause instanceof EngineError && cause.failure === 'rejected') return cause;
  throw cause;
}

/** The query with parameters that the engine does not evaluate: a rejection that stays the same is not due to their values. */
function withoutConstants(sql: string): string {
  let text = '';
  let copied = 0;
  for (const { start, end, before } of placeholdersIn(sql)) {
    if (/^(?:LIMIT|OFFSET)$/.test(before[0] ?? '')) continue; // they need a constant
    text += `${sql.slice(copied, start)}materialize(${sql.slice(start, end)})`;
    copied = end;
  }
  return text + sql.slice(copied);
}

function isSame(one: EngineError, other: EngineError): boolean {
  return one.engineCode === other.engineCode && plainSentence(one) === plainSentence(other);
}

function plainSentence({ message }: EngineError): string {
  return engineSentence(message).replaceAll(/materialize|[()]/g, '');
}
