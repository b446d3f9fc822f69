// Detects the SQL dialect of a query: tries each in order and uses the first that can run it.
import type { Dialect } from '../catalog/endpoint.ts';
import { Problem, type ProblemCode, type ProblemDetail } from '../core/problem.ts';
import { DIALECTS } from './dialect-table.ts';

/**
 * The plan of the first dialect that can run the query. If none can, the plan of the first that accepts it; if none
 * accepts it, throws the problem of the dialect that got furthest in parsing, or of the first dialect if none could
 * parse it.
 */
export async function chooseDialect<Plan>(
  dialects: readonly Dialect[],
  planIn: (dialect: Dialect) => Promise<Plan>,
  canRun: (plan: Plan) => Promise<boolean>,
): Promise<Plan> {
  const rejections: Rejection[] = [];
  const accepted: Plan[] = [];
  for (const dialect of dialects) {
    const plan = await planIn(dialect).catch((error: unknown) => rejectionOf(error, dialect));
    if (plan instanceof Rejection) rejections.push(plan);
    else if (dialects.length === 1 || (await canRun(plan))) return plan;
    else accepted.push(plan);
  }
  const [first] = accepted;
  if (first !== undefined) return first;
  throw problemOf(rejections);
}

/** A problem with a query in one dialect. A class, so that `instanceof` distinguishes it from a plan. */
class Rejection {
  readonly problem: Problem;
  readonly dialect: Dialect;

  constructor(problem: Problem, dialect: Dialect) {
    this.problem = problem;
    this.dialect = dialect;
  }
}

/** Rethrows problems that do not depend on the dialect. */
function rejectionOf(error: unknown, dialect: Dialect): Rejection {
  if (error instanceof Problem && error.status === 400) return new Rejection(error, dialect);
  throw error;
}

function problemOf(rejections: readonly Rejection[]): Problem {
  const [first, ...rest] = rejections;
  if (first === undefined) return new Problem('internal.error');
  const [one = first, ...further] = rejections.filter(wasParsed);
  const { problem, dialect } = further.reduce((best, each) => (isFurther(each, best) ? each : best), one);
  if (rest.length === 0) return problem;
  const others = rejections
    .filter((each) => each.dialect !== dialect)
    .map((each) => `dialect=${each.dialect}`);
  return new Problem(problem.code, {
    detail: problem.message,
    errors: problem.errors,
    hint: `${problem.hint} Parsed as ${dialect} SQL; for another dialect, send ${others.join(' or ')}.`,
    cause: problem,
  });
}

/** Of all dialects: a translated query can be rejected as one in ClickHouse SQL. */
const UNPARSED: ReadonlySet<ProblemCode> = new Set(
  Object.values(DIALECTS).flatMap(({ unparsed }) => unparsed),
);

function wasParsed({ problem }: Rejection): boolean {
  return !UNPARSED.has(problem.code);
}

/** Whether the problem `a` occurs later in the query than `b`. */
function isFurther(a: Rejection, b: Rejection): boolean {
  const [here, there] = [locationOf(a), locationOf(b)];
  if (here.line !== there.line) return (here.line ?? 0) > (there.line ?? 0);
  return (here.column ?? 0) > (there.column ?? 0);
}

function locationOf({ problem }: Rejection): Pick<ProblemDetail, 'line' | 'column'> {
  return problem.errors[0] ?? {};
}
