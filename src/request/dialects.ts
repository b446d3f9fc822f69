// Detects the SQL dialect of a query: tries each in order and uses the first that can run it.
import type { Dialect } from '../catalog/endpoint.ts';
import { Problem, type ProblemCode, type ProblemDetail } from '../core/problem.ts';
import { DIALECTS } from './dialect-table.ts';

/** How a query is tried in one dialect. */
export interface Attempts<Plan> {
  /** Rejects with a Problem if the query is invalid in the dialect. */
  readonly planIn: (dialect: Dialect) => Promise<Plan>;
  /** Whether the engine can analyse the plan. */
  readonly canRun: (plan: Plan) => Promise<boolean>;
  /** How many different things the query has that only this dialect has. */
  readonly evidence: (dialect: Dialect) => number;
}

/**
 * The plan of the first dialect that can run the query, or of the one with more evidence in it if that can run it, too: a
 * query that both can run does not mean the same in each. If none can, the plan of the dialect with the most evidence, or
 * its problem. With equal evidence, the plan of the first that accepts the query; if none accepts it, the problem of the one
 * that got furthest in parsing, or of the first if none could parse it.
 */
export async function chooseDialect<Plan>(
  dialects: readonly Dialect[],
  { planIn, canRun, evidence }: Attempts<Plan>,
): Promise<Plan> {
  const [only, more] = dialects;
  if (only !== undefined && more === undefined) return planIn(only);
  const tried: (Accepted<Plan> | Rejected)[] = [];
  const candidates = likeliest(dialects, evidence);
  let unlikely: Accepted<Plan> | undefined;
  for (const dialect of dialects) {
    const result = await planIn(dialect).then(
      (plan) => ({ dialect, plan }),
      (error: unknown) => rejected(error, dialect),
    );
    tried.push(result);
    if (!('plan' in result)) continue;
    // It is the result whether or not it can run, so the engine need not analyse it first.
    const isLast =
      tried.length === dialects.length && tried.every((each) => each === result || 'problem' in each);
    const isLikely = candidates.includes(dialect);
    if (!(isLast && isLikely) && !(await canRun(result.plan))) continue;
    if (isLikely) return result.plan;
    unlikely ??= result;
  }
  if (unlikely !== undefined) return unlikely.plan;
  const likely = tried.filter(({ dialect }) => candidates.includes(dialect));
  const accepted = likely.find((each) => 'plan' in each);
  if (accepted !== undefined) return accepted.plan;
  const { problem, dialect } = furthest(likely.filter((each) => 'problem' in each));
  throw parsedAs(problem, { dialect, dialects });
}

/** The dialects with the most evidence. */
function likeliest(dialects: readonly Dialect[], evidence: (dialect: Dialect) => number): readonly Dialect[] {
  const counts = new Map(dialects.map((dialect) => [dialect, evidence(dialect)]));
  const most = Math.max(...counts.values());
  return dialects.filter((dialect) => counts.get(dialect) === most);
}

/** The problem, with the other dialects in its hint. */
export function parsedAs(
  problem: Problem,
  { dialect, dialects }: { readonly dialect: Dialect; readonly dialects: readonly Dialect[] },
): Problem {
  const others = dialects.filter((each) => each !== dialect).map((each) => `dialect=${each}`);
  if (others.length === 0) return problem;
  return new Problem(problem.code, {
    detail: problem.message,
    errors: problem.errors,
    hint: `${problem.hint} Parsed as ${dialect} SQL; for another dialect, send ${others.join(' or ')}.`,
    cause: problem.cause ?? problem,
  });
}

/** The query as planned in one dialect. */
interface Accepted<Plan> {
  readonly dialect: Dialect;
  readonly plan: Plan;
}

/** Why the query is invalid in one dialect. */
interface Rejected {
  readonly dialect: Dialect;
  readonly problem: Problem;
}

/** Rethrows problems that do not depend on the dialect. */
function rejected(error: unknown, dialect: Dialect): Rejected {
  if (error instanceof Problem && error.status === 400) return { dialect, problem: error };
  throw error;
}

function furthest(rejections: readonly Rejected[]): Rejected {
  const [first, ...rest] = rejections;
  if (first === undefined) throw new Problem('internal.error');
  const [one = first, ...further] = [first, ...rest].filter(wasParsed);
  return further.reduce((best, each) => (isFurther(each, best) ? each : best), one);
}

/** Of all dialects: a translated query can be rejected as one in ClickHouse SQL. */
const UNPARSED: ReadonlySet<ProblemCode> = new Set(
  Object.values(DIALECTS).flatMap(({ unparsed }) => unparsed),
);

function wasParsed({ problem }: Rejected): boolean {
  return !UNPARSED.has(problem.code);
}

/** Whether the problem `a` occurs later in the query than `b`. */
function isFurther(a: Rejected, b: Rejected): boolean {
  const [here, there] = [locationOf(a), locationOf(b)];
  if (here.line !== there.line) return (here.line ?? 0) > (there.line ?? 0);
  return (here.column ?? 0) > (there.column ?? 0);
}

function locationOf({ problem }: Rejected): Pick<ProblemDetail, 'line' | 'column'> {
  return problem.errors[0] ?? {};
}
