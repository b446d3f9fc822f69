// Detects the SQL dialect of a query: tries each in order and uses the first that can run it.
import type { Dialect } from '../catalog/endpoint.ts';
import { Problem, type ProblemCode, type ProblemDetail } from '../core/problem.ts';

type Plans<Plan> = Readonly<Record<Dialect, () => Promise<Plan>>>;

/**
 * The plan of the first dialect that can run the query. If none can, the plan of the first that accepts it; if none
 * accepts it, throws the problem of the dialect that got furthest in parsing, or of the first dialect if none could
 * parse it.
 */
export async function chooseDialect<Plan>(
  dialects: readonly Dialect[],
  plans: Plans<Plan>,
  canRun: (plan: Plan) => Promise<boolean>,
): Promise<Plan> {
  const rejections: Rejected[] = [];
  const taken: Plan[] = [];
  for (const dialect of dialects) {
    const plan = await plans[dialect]().catch((error: unknown) => rejected(error, dialect));
    if (plan instanceof Rejected) rejections.push(plan);
    else if (dialects.length === 1 || (await canRun(plan))) return plan;
    else taken.push(plan);
  }
  const [first] = taken;
  if (first !== undefined) return first;
  throw reported(rejections);
}

/** A problem with a query in one dialect. A class, so that `instanceof` tells it from a plan. */
class Rejected {
  readonly problem: Problem;
  readonly dialect: Dialect;

  constructor(problem: Problem, dialect: Dialect) {
    this.problem = problem;
    this.dialect = dialect;
  }
}

/** Rethrows problems that do not depend on the dialect. */
function rejected(error: unknown, dialect: Dialect): Rejected {
  if (error instanceof Problem && error.status === 400) return new Rejected(error, dialect);
  throw error;
}

function reported(rejections: readonly Rejected[]): Problem {
  const [first, ...rest] = rejections;
  if (first === undefined) return new Problem('internal.error');
  const [one = first, ...further] = rejections.filter(wasRead);
  const { problem, dialect } = further.reduce((best, each) => (isBehind(each, best) ? each : best), one);
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

/** Problems that mean the query could not be parsed in the dialect; any other means it was parsed and then rejected. */
const UNREAD: ReadonlySet<ProblemCode> = new Set([
  'sandbox.query_invalid',
  'sandbox.syntax_unsupported',
  'bigquery.syntax_invalid',
]);

function wasRead({ problem }: Rejected): boolean {
  return !UNREAD.has(problem.code);
}

function isBehind(a: Rejected, b: Rejected): boolean {
  const [here, there] = [positionOf(a), positionOf(b)];
  if (here.line !== there.line) return (here.line ?? 0) > (there.line ?? 0);
  return (here.column ?? 0) > (there.column ?? 0);
}

function positionOf({ problem }: Rejected): Pick<ProblemDetail, 'line' | 'column'> {
  return problem.errors[0] ?? {};
}
