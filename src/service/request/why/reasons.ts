// Says why a call took its time, and what to do about it: a table of rules over what is known about the call.
import type { ReadSummary } from '../../../sql/base/observation.ts';
import type { RecentCall } from '../../observe/recent-calls.ts';
import type { ExplainedPlan } from './plan-of.ts';

/** Calls that ran at some time of the call. */
export interface CallsBeside {
  readonly endpoint: string;
  /** The name of the key; absent if only calls of the own key are shown. */
  readonly key?: string;
  readonly calls: number;
  /** Milliseconds of the engine, of these calls together. */
  readonly engine: number;
}

export interface Reason {
  readonly kind: ReasonKind;
  readonly text: string;
  /** It is what to do, if that is known. */
  readonly fix?: string;
}

export type ReasonKind = keyof typeof RULES;

/** What the rules look at. */
export interface KnownCall {
  readonly call: RecentCall;
  readonly stages: Readonly<Record<string, number>> | undefined;
  readonly read: ReadSummary | undefined;
  readonly plan: ExplainedPlan | undefined;
  readonly beside: readonly CallsBeside[];
  readonly scope: 'own' | 'all';
}

type ReasonRule = (known: KnownCall) => Omit<Reason, 'kind'> | undefined;

/** A stage with this share of the time is a reason. */
const SHARE = 0.3;
/** Rows read for each row that is returned. */
const MANY_READ = 1000;
/** A read of fewer granules is cheap, whatever share of the table they are. */
const MANY_GRANULES = 8;

/** In the order of the report. */
const RULES = {
  cached: ({ call, stages }) =>
    stages === undefined && call.status < 400
      ? { text: 'A cached response was sent: no query ran' }
      : undefined,
  failed: ({ call: { status, code } }) =>
    status >= 400
      ? { text: `It ended with status ${status}${code === undefined ? '' : ` (${code})`}` }
      : undefined,
  shared: ({ call: { cache } }) =>
    cache === 'shared'
      ? { text: 'It waited for the query of another request for the same response' }
      : undefined,
  queue: (known) => {
    const share = shareOf(known, 'queue');
    const busy = known.beside.reduce((sum, { calls }) => sum + calls, 0);
    const who = known.scope === 'all' ? 'calls' : 'calls of this key';
    return share === undefined
      ? undefined
      : {
          text: `It waited ${share} for a connection of the engine, while ${busy} other ${who} ran`,
          fix: 'Cache the endpoints that run most, or raise the connections of the engine (docs/operate/scale.md)',
        };
  },
  engine: (known) => stageReason(known, 'engine', 'The query ran in the engine for'),
  all_granules: ({ plan, call }) => {
    const whole = plan?.reads.find(
      ({ granules, ofGranules }) =>
        ofGranules !== null && granules === ofGranules && granules >= MANY_GRANULES,
    );
    return whole === undefined
      ? undefined
      : {
          text: `No key of ${whole.table} selects rows: all ${whole.granules} granules are read`,
          fix: `millrace cost ${call.endpoint} proposes changes that read less`,
        };
  },
  much_read: ({ read, call: { rows = 0, endpoint } }) =>
    read !== undefined && read.rows > MANY_READ * Math.max(rows, 1)
      ? {
          text: `${read.rows} rows were read for ${rows} rows of the response`,
          fix: `Declare a rollup if it aggregates (docs/author/rollups.md); millrace cost ${endpoint} proposes other changes`,
        }
      : undefined,
  not_cached: ({ call: { cache }, stages }) =>
    cache === undefined && stages !== undefined
      ? {
          text: 'The endpoint has no cache: each call runs a query',
          fix: 'Add cache: { ttl } to its file, with until: data if responses must be of the newest rows',
        }
      : undefined,
  missed: ({ call: { cache } }) =>
    cache === 'stored'
      ? { text: 'No response of these parameters was cached; the next calls get this one' }
      : undefined,
  plan: (known) => stageReason(known, 'plan', 'Checking and planning the query took'),
  auth: (known) => stageReason(known, 'auth', 'Checking the key took'),
  redact: (known) => stageReason(known, 'redact', 'Removing personal data took'),
  encode: (known) => stageReason(known, 'encode', 'Writing the response took'),
  rest: (known) =>
    stageReason(known, 'rest', 'Sending the response, and waiting for the body of the request, took'),
} as const satisfies Readonly<Record<string, ReasonRule>>;

export function reasonsFor(known: KnownCall): readonly Reason[] {
  return Object.entries(RULES).flatMap(([kind, rule]) => {
    const reason = rule(known);
    return reason === undefined ? [] : [{ kind: kind as ReasonKind, ...reason }]; // a key of the table
  });
}

function stageReason(known: KnownCall, stage: string, text: string): Omit<Reason, 'kind'> | undefined {
  const share = shareOf(known, stage);
  return share === undefined ? undefined : { text: `${text} ${share}` };
}

/** Undefined for a stage that took a small share of the time. */
function shareOf({ stages, call: { ms } }: KnownCall, stage: string): string | undefined {
  const took = stages?.[stage] ?? 0;
  if (took <= 0 || took < SHARE * ms) return undefined;
  return `${took.toFixed(1)} of ${ms.toFixed(1)} ms`;
}
