// Checks the consumer queries of examples as the service checks those of callers, without running them.
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import { toDiagnostic, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { isRejectionExpected } from '../../../service/endpoints/expectation.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { RequestPath } from '../../../service/request/answer.ts';
import { localCall } from '../../../service/request/call.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';

/** A query in the list of examples of a file. */
interface ExampleQuery {
  readonly file: InspectedFile;
  readonly index: number;
  readonly language: 'sql' | 'lql';
  readonly text: string;
}

/** A finding for each query that a caller could not send; none for examples that expect a rejection. */
export async function findRejectedQueries(
  engine: Engine,
  files: readonly InspectedFile[],
  openTestRuntime: OpenTestRuntime,
): Promise<readonly Finding[]> {
  const queries = files.flatMap(queriesOf);
  if (queries.length === 0) return [];
  const candidates = [...new Set(queries.map(({ file }) => file.candidate))];
  const runtime = await openTestRuntime({ engine, candidates });
  try {
    const path = runtime.pathAt(undefined);
    const findings: Finding[] = [];
    for (const query of queries) {
      const problem = await explain(path, query);
      if (problem !== undefined) findings.push(toFinding(query, problem));
    }
    return findings;
  } finally {
    await runtime.close();
  }
}

function queriesOf(file: InspectedFile): readonly ExampleQuery[] {
  return (file.analysis.file.examples ?? []).flatMap(({ sql, lql, expect }, index) => {
    if (isRejectionExpected(expect)) return [];
    return Object.entries({ sql, lql }).flatMap(([language, text]) =>
      text === undefined
        ? []
        : [{ file, index, language: language === 'sql' ? 'sql' : 'lql', text } as const],
    );
  });
}

/** Undefined if it is accepted, or if something other than the query fails, which is reported for the file. */
async function explain(
  path: RequestPath,
  { file, language, text }: ExampleQuery,
): Promise<Problem | undefined> {
  const name = referenceOf(file.candidate.endpoint);
  const call = localCall({ requestId: 'example', endpoint: name }, new Map([[language, [text]]]));
  try {
    await path.explain(call);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.status < 500 ? error : undefined;
  }
}

function toFinding({ file, index, language, text }: ExampleQuery, problem: Problem): Finding {
  const [first] = problem.errors;
  const message = first?.message ?? problem.message;
  return toDiagnostic(file.document, {
    code: 'example.query_rejected',
    path: ['examples', index, language],
    offset: offsetOf(text, first?.line ?? 1, first?.column ?? 1),
    message: `${problem.code}: ${message}`,
    hint: problem.hint,
  });
}

/** The offset of a 1-based line and column. */
function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, each) => sum + each.length + 1, column - 1);
}
