// Computes what is shown in place of rows: once for a question, and again when it changes.
import { useEffect, useState } from 'preact/hooks';
import { CallFailure, type Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';
import { differenceQuestion, differencesAsk, readDifferences, type Differences } from './differences.ts';
import { facetCalls, type FacetCalls } from './facets.ts';
import { patternQuestion, patternsAsk, patternsOfRows, readPatterns, type Patterns } from './patterns.ts';
import { basisOf, canSendSql, type Bounds, type LogQuestion } from './questions.ts';
import type { Logs } from './use-logs.ts';

export interface Analysis<Value> {
  /** Stays while a new one is computed. */
  readonly value: Value | undefined;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
  /** Rows of the time range; undefined: not known. */
  readonly total: number | undefined;
}

export function usePatterns({ question, store }: Logs): Analysis<Patterns> {
  const rows = store.rows.value.value?.rows;
  const isSql = canSendSql(question);
  const basis = patternQuestion(question);
  const analysis = useComputed(
    question,
    store,
    async ({ explain, run }, total) => {
      if (!isSql) return patternsOfRows(question, rows ?? []);
      const ask = patternsAsk(basis, await explain(basisOf(basis).ask), total);
      return readPatterns((await run(ask)).rows);
    },
    isSql ? '' : String(rows?.length),
  );
  return analysis;
}

export function useDifferences({ question, store }: Logs, part: Bounds | undefined): Analysis<Differences> {
  const basis = differenceQuestion(question);
  const load = async (
    { explain, run }: FacetCalls,
    total: number | undefined,
  ): Promise<Differences | undefined> => {
    if (part === undefined || basis.view.facets.length === 0) return undefined;
    const sql = await explain(basisOf(basis).ask);
    return readDifferences(basis, (await run(differencesAsk(basis, part, { sql, total }))).rows);
  };
  return useComputed(question, store, load, JSON.stringify(part));
}

interface Computed<Value> {
  readonly value: Value | undefined;
  readonly problem: Problem | undefined;
  readonly asked: string;
  readonly question: LogQuestion;
}

/** `more` is what the value depends on beside the question. Waits for the histogram, which counts the rows. */
function useComputed<Value>(
  question: LogQuestion,
  { histogram }: Logs['store'],
  load: (calls: FacetCalls, total: number | undefined) => Promise<Value | undefined>,
  more: string,
): Analysis<Value> {
  const { client, key } = useExplorer();
  const [computed, setComputed] = useState<Computed<Value>>();
  const { value: counted, isLoading: isCounting } = histogram.value;
  const total = counted?.buckets.reduce((sum, { rows }) => sum + rows, 0);
  const isCurrent = computed?.question === question && computed.asked === more;
  useEffect(() => {
    if (isCounting || isCurrent) return undefined;
    const controller = new AbortController();
    const end = (value: Value | undefined, problem: Problem | undefined): void => {
      if (!controller.signal.aborted) setComputed({ value, problem, asked: more, question });
    };
    load(facetCalls(client, key.value ?? '', controller.signal), total).then(
      (value) => end(value, undefined),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        if (!(error instanceof CallFailure)) throw error;
        end(undefined, error.problem);
      },
    );
    return () => controller.abort();
  }, [question, more, isCounting]);
  return { value: computed?.value, problem: computed?.problem, isLoading: !isCurrent, total };
}
