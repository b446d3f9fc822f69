// Compiles an LQL query to SQL and reports its findings as a problem with positions.
import { positionAt } from '../../../sql/base/position.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { compile, type Compiled } from '../../../sql/lql/compile.ts';
import type { LqlFinding } from '../../../sql/lql/finding.ts';
import { parse } from '../../../sql/lql/parse.ts';
import type { Table } from '../../../sql/lql/resolve.ts';

export interface LqlOptions {
  readonly tables: readonly Table[];
  /** The table that the saved query reads from, if there is exactly one. */
  readonly defaultTable: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Compiles an LQL query to SQL, which the sandbox then checks like any consumer query. Throws Problem `lql.*`. */
export function lqlToSql(text: string, { tables, defaultTable, now }: LqlOptions): Compiled {
  const parsed = parse(text);
  if ('findings' in parsed) throw lqlProblem(text, parsed.findings);
  const compiled = compile(parsed.tree, { tables, defaultTable, now: BigInt(Math.trunc(now)) * 1000n });
  if ('findings' in compiled) throw lqlProblem(text, compiled.findings);
  return compiled;
}

/** The problem for the first finding, with all findings listed. */
export function lqlProblem(text: string, findings: readonly LqlFinding[], cause?: unknown): Problem {
  const [first] = findings;
  if (first === undefined) return new Problem('internal.error');
  const errors = findings.map(({ start, message }) => ({ ...positionAt(text, start), message }));
  const { line, column } = positionAt(text, first.start);
  const detail = `${first.message} (line ${line}, column ${column})`;
  return new Problem(first.code, {
    detail,
    errors,
    cause,
    ...(first.hint === undefined ? {} : { hint: first.hint }),
  });
}
