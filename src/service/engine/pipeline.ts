// Reads EXPLAIN PIPELINE: the steps of a plan, and how many threads each may use.

export interface PipelineStep {
  /** It is the engine's name of the step, such as ReadFromMergeTree. */
  readonly step: string;
  /** The steps that give it rows are deeper. */
  readonly depth: number;
  readonly threads: number;
}

/** The engine answers a query with this before it with the text that `readPipeline` reads. */
export const EXPLAIN_PIPELINE = 'EXPLAIN PIPELINE ';

/** A pipeline of more steps is cut. */
const MAX_STEPS = 100;

/** Other lines than steps and processors are left out: nothing of the query is in the result. */
export function readPipeline(text: string): readonly PipelineStep[] {
  const steps: { step: string; depth: number; threads: number }[] = [];
  const indents: number[] = [];
  for (const line of text.split('\n')) {
    const [, indent = '', step] = /^( *)\((\w+)\)/.exec(line) ?? [];
    if (step !== undefined) {
      while ((indents.at(-1) ?? -1) >= indent.length) indents.pop();
      steps.push({ step, depth: indents.length, threads: 1 });
      indents.push(indent.length);
    }
    const last = steps.at(-1);
    const [, threads] = / × (\d{1,6})(?:\s|$)/.exec(line) ?? [];
    if (last !== undefined && threads !== undefined) last.threads = Math.max(last.threads, Number(threads));
    if (steps.length > MAX_STEPS) break;
  }
  return steps.slice(0, MAX_STEPS);
}
