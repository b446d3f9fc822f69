// Which dialect a text is in: each is tried in turn, and the first that can run it is meant.
import type { Dialect } from '../catalog/endpoint.ts';
import { Problem, type ProblemDetail } from '../core/problem.ts';

type Plans<Plan> = Readonly<Record<Dialect, () => Promise<Plan>>>;

/**
 * The plan of the first dialect that takes the text and can run it. Where none can run it, that of the first that takes
 * it; where none takes it, the problem of the one that came furthest in reading it is thrown.
 */
export async function chooseDialect<Plan>(
  dialects: readonly Dialect[],
  plans: Plans<Plan>,
  canRun: (plan: Plan) => Promise<boolean>,
): Promise<Plan> {
  const refusals: Refused[] = [];
  const taken: Plan[] = [];
  for (const dialect of dialects) {
    const plan = await plans[dialect]().catch((error: unknown) => refused(error, dialect));
    if (plan instanceof Refused) refusals.push(plan);
    else if (dialects.length === 1 || (await canRun(plan))) return plan;
    else taken.push(plan);
  }
  const [first] = taken;
  if (first !== undefined) return first;
  throw furthest(refusals);
}

/** A problem with a text, read in a dialect. A class, to be told from any plan. */
class Refused {
  readonly problem: Problem;
  readonly dialect: Dialect;

  constructor(problem: Problem, dialect: Dialect) {
    this.problem = problem;
    this.dialect = dialect;
  }
}

/** Problems that another dialect would have as well are thrown. */
function refused(error: unknown, dialect: Dialect): Refused {
  if (error instanceof Problem && error.status === 400) return new Refused(error, dialect);
  throw error;
}

function furthest(refusals: readonly Refused[]): Problem {
  const [first, ...rest] = refusals;
  if (first === undefined) return new Problem('internal.defect');
  const { problem, dialect } = rest.reduce((best, each) => (isBehind(each, best) ? each : best), first);
  if (rest.length === 0) return problem;
  const others = refusals.filter((each) => each.dialect !== dialect).map((each) => `dialect=${each.dialect}`);
  return new Problem(problem.code, {
    detail: problem.message,
    errors: problem.errors,
    hint: `${problem.hint} This is what it is as ${dialect}; send ${others.join(' or ')} if it is not.`,
    cause: problem,
  });
}

function isBehind(a: Refused, b: Refused): boolean {
  const [here, there] = [placeOf(a), placeOf(b)];
  if (here.line !== there.line) return (here.line ?? 0) > (there.line ?? 0);
  return (here.column ?? 0) > (there.column ?? 0);
}

function placeOf({ problem }: Refused): Pick<ProblemDetail, 'line' | 'column'> {
  return problem.errors[0] ?? {};
}
