// Keeps the responses of an endpoint's examples warm, if its file says so.
import { NO_DIRECTIVES } from '../../cache/freshness.ts';
import type { Warming } from '../../cache/warming.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { RawValue } from '../../params/reading.ts';
import type { Admitted } from '../admit.ts';
import { bind } from '../bind.ts';
import { plan } from '../plan.ts';
import { isCached, NO_CALL, warmJob, type JobDeps } from './jobs.ts';

/** Rejects with Problem if an example cannot be planned. */
export async function pinExamples(
  deps: JobDeps & { readonly warming: Warming },
  endpoint: Endpoint,
): Promise<void> {
  if (endpoint.cache?.warmExamples !== true) return;
  for (const { parameters = {}, sql, lql } of endpoint.examples) {
    if (sql !== undefined || lql !== undefined) continue;
    const fields = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]] as const));
    const planned = await plan(deps, bind(deps, admittedExample(endpoint, fields)));
    const warm = isCached(planned) ? warmJob(deps, planned) : undefined;
    if (warm !== undefined) deps.warming.pin(warm);
  }
}

/** The call of an example, as a key without restrictions makes it. */
function admittedExample(endpoint: Endpoint, fields: ReadonlyMap<string, readonly RawValue[]>): Admitted {
  const content = { ...CONTENT, fields };
  const call = { ...NO_CALL, record: {} };
  return { ...EXAMPLE, call, endpoint, content };
}

const CONTENT = {
  format: 'json',
  redact: false,
  resultShape: undefined,
  labels: undefined,
  reservation: undefined,
  directives: NO_DIRECTIVES,
} as const;

const UNRESTRICTED: Principal = {
  id: 'warming',
  usageId: 'warming',
  name: 'warming',
  covers: () => true,
  languages: new Set(),
  locked: new Map(),
  seesStatements: false,
  redact: false,
  resultShape: undefined,
  rate: undefined,
  budgets: [],
};

const EXAMPLE = {
  principal: UNRESTRICTED,
  successor: undefined,
  consumerQuery: undefined,
  budgets: [],
  authMs: 0,
  isStillAdmitted: () => false,
  admitAgain: () => undefined,
  isCurrent: () => false,
} as const;
