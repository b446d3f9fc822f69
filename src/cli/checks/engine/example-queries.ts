// Checks the consumer queries of examples as the service checks those of callers, without running them.
import type { Candidate } from '../../../service/endpoints/catalog.ts';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { isRejectionExpected } from '../../../service/endpoints/expectation.ts';
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { RequestPath } from '../../../service/request/answer.ts';
import { localCall } from '../../../service/request/call.ts';
import { explain } from '../../../service/request/explain.ts';

export const EXAMPLE_QUERY_CODES: Codes = {
  'example.query_rejected': {
    title: 'The consumer query of an example is rejected',
    help: 'The example would fail with the code in the message. Correct its sql or lql, or expect the rejection with expect.code.',
  },
};

/** Answers calls with a frozen clock, without cache or rate limits. */
export type OpenTestRuntime = (options: {
  readonly engine: Engine;
  readonly candidates: readonly Candidate[];
}) => Promise<{
  readonly pathAt: (now: number | undefined) => RequestPath;
  close(): Promise<void>;
}>;

/** A query in the list of examples of a file. */
interface ExampleQuery {
  readonly index: number;
  readonly language: 'sql' | 'lql';
  readonly text: string;
}

/** A finding for each query that a caller could not send; none for examples that expect a rejection. */
export async function findRejectedQueries(
  engine: Engine,
  file: InspectedFile,
  openTestRuntime: OpenTestRuntime,
): Promise<readonly PathFinding[]> {
  const queries = queriesOf(file);
  if (queries.length === 0) return [];
  const runtime = await openTestRuntime({ engine, candidates: [file.candidate] });
  try {
    const path = runtime.pathAt(undefined);
    const findings: PathFinding[] = [];
    for (const query of queries) {
      const problem = await rejectionOf(path, file, query);
      if (problem !== undefined) findings.push(toFinding(query, problem));
    }
    return findings;
  } finally {
    await runtime.close();
  }
}

function queriesOf({ analysis }: InspectedFile): readonly ExampleQuery[] {
  return (analysis.file.examples ?? []).flatMap(({ sql, lql, expect }, index) => {
    if (isRejectionExpected(expect)) return [];
    return Object.entries({ sql, lql }).flatMap(([language, text]) =>
      text === undefined ? [] : [{ index, language: language === 'sql' ? 'sql' : 'lql', text } as const],
    );
  });
}

/** Undefined if it is accepted, or if something other than the query fails, which is reported for the file. */
async function rejectionOf(
  path: RequestPath,
  { candidate: { endpoint } }: InspectedFile,
  { language, text }: ExampleQuery,
): Promise<Problem | undefined> {
  const name = referenceOf(endpoint);
  const call = localCall({ requestId: 'example', endpoint: name }, new Map([[language, [text]]]));
  try {
    await explain(path, call);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.status < 500 ? error : undefined;
  }
}

function toFinding({ index, language, text }: ExampleQuery, problem: Problem): PathFinding {
  const [first] = problem.errors;
  const message = first?.message ?? problem.message;
  return {
    code: 'example.query_rejected',
    path: ['examples', index, language],
    offset: offsetOf(text, first?.line ?? 1, first?.column ?? 1),
    message: `${problem.code}: ${message}`,
    hint: problem.hint,
  };
}

/** The offset of a 1-based line and column. */
function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, each) => sum + each.length + 1, column - 1);
}
