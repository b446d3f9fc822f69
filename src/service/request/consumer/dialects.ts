// Detects the SQL dialect of a query: the first that can run it, of those of which it has constructs.
import type { Dialect } from '../../endpoints/endpoint.ts';
import { Problem, type ProblemCode, type ProblemDetail } from '../../../sql/base/problem.ts';
import { DIALECTS } from './dialect-table.ts';

/** How a query is tried in one dialect. */
export interface Attempts<Plan> {
  /** Rejects with a Problem if the query is invalid in the dialect. */
  readonly planIn: (dialect: Dialect) => Promise<Plan>;
  /** Returns whether the engine can analyse the plan. */
  readonly canRun: (plan: Plan) => Promise<boolean>;
  readonly evidence: DialectEvidence;
}

/** What a query shows of each dialect. */
export interface DialectEvidence {
  /** How many different constructs the query has that only this dialect has. */
  readonly count: (dialect: Dialect) => number;
  /** Returns whether it has one that this dialect reads otherwise than the others. */
  readonly isReadOtherwise: (dialect: Dialect) => boolean;
}

/**
 * The plan of the first dialect that can run the query. A dialect after the first is tried only if the query has a construct of
 * it: what only one can parse may be a misspelling, and would mean something else. The dialect with the most constructs is
 * preferred, since a query that several can run does not mean the same in each. If none can run the query, the plan of that
 * dialect, or its problem; of several with equally many, the problem of the one that got furthest in parsing. A query without
 * constructs has the plan or the problem of the first dialect.
 */
export async function chooseDialect<Plan>(
  dialects: readonly Dialect[],
  attempts: Attempts<Plan>,
): Promise<Plan> {
  const { planIn, canRun } = attempts;
  const { tried: candidates, likeliest } = candidatesOf(dialects, attempts.evidence);
  const tried: (Accepted<Plan> | Rejected)[] = [];
  let unlikely: Accepted<Plan> | undefined;
  for (const dialect of candidates) {
    const result = await planIn(dialect).then(
      (plan) => ({ dialect, plan }),
      (error: unknown) => rejected(error, dialect),
    );
    tried.push(result);
    if (!('plan' in result)) continue;
    // It is the result whether or not it can run, so the engine need not analyse it first.
    const isLast =
      tried.length === candidates.length && tried.every((each) => each === result || 'problem' in each);
    const isLikely = likeliest.includes(dialect);
    if (!(isLast && isLikely) && !(await canRun(result.plan))) continue;
    if (isLikely) return result.plan;
    unlikely ??= result;
  }
  if (unlikely !== undefined) return unlikely.plan;
  const likely = tried.filter(({ dialect }) => likeliest.includes(dialect));
  const accepted = likely.find((each) => 'plan' in each);
  if (accepted !== undefined) return accepted.plan;
  const { problem, dialect } = furthest(likely.filter((each) => 'problem' in each));
  throw parsedAs(problem, { dialect, dialects });
}

/** The dialects to try, in order, and of these the ones with the most constructs. */
function candidatesOf(
  dialects: readonly Dialect[],
  evidence: DialectEvidence,
): { readonly tried: readonly Dialect[]; readonly likeliest: readonly Dialect[] } {
  const [first, ...others] = dialects;
  if (first === undefined || others.length === 0) return { tried: dialects, likeliest: dialects };
  const counts = new Map(dialects.map((dialect) => [dialect, evidence.count(dialect)]));
  const most = Math.max(...counts.values());
  if (most === 0) return { tried: [first, ...others.filter(evidence.isReadOtherwise)], likeliest: [first] };
  return {
    tried: [first, ...others.filter((dialect) => counts.get(dialect) !== 0)],
    likeliest: dialects.filter((dialect) => counts.get(dialect) === most),
  };
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

/** Returns whether the problem `a` occurs later in the query than `b`. */
function isFurther(a: Rejected, b: Rejected): boolean {
  const [here, there] = [locationOf(a), locationOf(b)];
  if (here.line !== there.line) return (here.line ?? 0) > (there.line ?? 0);
  return (here.column ?? 0) > (there.column ?? 0);
}

function locationOf({ problem }: Rejected): Pick<ProblemDetail, 'line' | 'column'> {
  return problem.errors[0] ?? {};
}
