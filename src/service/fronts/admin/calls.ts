// `GET /why` and `GET /top` of the admin listener: finished calls of all keys.
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { REPORT_SIGNAL, requestSignal } from '../../http/request-signal.ts';
import type { Load } from '../../engine/engine.ts';
import { COUNTED_MINUTES, type CallCount, type CallCounts } from '../../observe/call-counts.ts';
import { ORDERS, topOf, type TopGroup, type TopOrder } from '../../observe/top-calls.ts';
import type { CacheAdvice } from '../../request/why/cache-advice.ts';
import type { CallReport } from '../../request/why/report.ts';

export interface CallRoutesOptions {
  /** About a request, or the slowest call of an endpoint. Throws Problem. */
  readonly why: (target: string, signal: AbortSignal) => Promise<CallReport>;
  readonly counts: Pick<CallCounts, 'read' | 'since'>;
  /** Reads the table of calls; undefined: calls are not written to it. */
  readonly stored: ((minutes: number) => Promise<readonly CallCount[]>) | undefined;
  readonly load: () => Load;
  readonly advice: (counts: readonly CallCount[]) => readonly CacheAdvice[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface TopQuery {
  readonly minutes: number;
  readonly group: TopGroup;
  readonly by: TopOrder;
}

type SentQuery = Readonly<Record<string, unknown>>;

const MAX_TARGET = 1000;
/** Thirty days, for which rows are kept unless it is set otherwise. */
const MAX_MINUTES = 43_200;
const DEFAULT_MINUTES = 5;
const GROUPS: ReadonlySet<unknown> = new Set<TopGroup>(['endpoint', 'key', 'both']);

export function addCallRoutes(app: FastifyInstance, options: CallRoutesOptions): void {
  app.get<{ Querystring: SentQuery }>('/why', async ({ query }, reply) => {
    const { target } = query;
    if (typeof target !== 'string' || target === '' || target.length > MAX_TARGET)
      throw invalid('GET /why has the parameter target: the id of a request, or the name of an endpoint');
    const result = await options.why(target, requestSignal(reply, REPORT_SIGNAL));
    return reply.header('Cache-Control', 'no-store').send({ result });
  });
  app.get<{ Querystring: SentQuery }>('/top', async ({ query }, reply) => {
    return reply.header('Cache-Control', 'no-store').send(await topReport(options, topQuery(query)));
  });
}

async function topReport(
  { counts, stored, load, advice, now }: CallRoutesOptions,
  { minutes, group, by }: TopQuery,
): Promise<object> {
  const isLonger = minutes > COUNTED_MINUTES;
  if (isLonger && stored === undefined)
    throw invalid(
      `This process counts the last ${COUNTED_MINUTES} minutes. For more, set MILLRACE_USAGE=true: the table of calls is then read`,
    );
  const all = (isLonger ? await stored?.(minutes) : counts.read(minutes)) ?? [];
  const since = isLonger ? now() - minutes * 60_000 : counts.since(minutes);
  return {
    since: new Date(since).toISOString(),
    until: new Date(now()).toISOString(),
    source: isLonger ? 'table' : 'process',
    statements: load(),
    ...topOf(all, group, by),
    advice: advice(all),
  };
}

/** Throws Problem. */
function topQuery(query: SentQuery): TopQuery {
  const { minutes = String(DEFAULT_MINUTES), group = 'endpoint', by = 'time', ...others } = query;
  const count = typeof minutes === 'string' && /^[1-9]\d{0,5}$/.test(minutes) ? Number(minutes) : Infinity;
  const isValid =
    count <= MAX_MINUTES && GROUPS.has(group) && typeof by === 'string' && Object.hasOwn(ORDERS, by);
  if (!isValid || Object.keys(others).length > 0)
    throw invalid(
      `GET /top has the parameters minutes (1 to ${MAX_MINUTES}), group (${[...GROUPS].join(', ')}) and by (${Object.keys(ORDERS).join(', ')})`,
    );
  return { minutes: count, group: group as TopGroup, by: by as TopOrder }; // checked above
}

function invalid(detail: string): Problem {
  return new Problem('request.parameters_invalid', { detail });
}
