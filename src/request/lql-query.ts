// LQL on its way to the engine: text to tree to the SQL that it means, findings as a problem at their places.
import type { TableColumns } from '../catalog/describe.ts';
import { positionAt } from '../core/position.ts';
import { Problem } from '../core/problem.ts';
import { compile, type Compiled } from '../lql/compile.ts';
import type { Finding } from '../lql/finding.ts';
import { parse } from '../lql/parse.ts';

export interface LqlOptions {
  readonly tables: readonly TableColumns[];
  /** The table that the saved query itself reads from, when it is one. */
  readonly defaultTable: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The SQL of an LQL text, to be checked like any consumer's. Throws Problem `lql.*`. */
export function lqlToSql(text: string, { tables, defaultTable, now }: LqlOptions): Compiled {
  const parsed = parse(text);
  if ('findings' in parsed) throw lqlProblem(text, parsed.findings);
  const compiled = compile(parsed.tree, { tables, defaultTable, now: BigInt(Math.trunc(now)) * 1000n });
  if ('findings' in compiled) throw lqlProblem(text, compiled.findings);
  return compiled;
}

/** The problem of the first finding, with all of them listed. */
export function lqlProblem(text: string, findings: readonly Finding[]): Problem {
  const [first] = findings;
  if (first === undefined) return new Problem('internal.defect');
  const errors = findings.map(({ start, message }) => ({ ...positionAt(text, start), message }));
  const { line, column } = positionAt(text, first.start);
  const detail = `${first.message} (line ${line}, column ${column})`;
  return new Problem(first.code, {
    detail,
    errors,
    ...(first.hint === undefined ? {} : { hint: first.hint }),
  });
}
