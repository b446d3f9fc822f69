// What an export runs: the plan of a call, for more rows and more time.
import { hash } from 'node:crypto';
import { LIVE_FIELDS } from '../endpoints/checks/live.ts';
import type { Endpoint, ExportFormat, ExportPlace, ExportPolicy } from '../endpoints/endpoint.ts';
import { isRedacting } from '../../guard/redact/demand.ts';
import { Problem } from '../../sql/base/problem.ts';
import { admit, type AdmissionKind, type Admitted } from '../request/admit.ts';
import type { RequestPath } from '../request/answer.ts';
import { bind } from '../request/bind.ts';
import type { Call, CallContent } from '../request/call.ts';
import { PAGE_FIELDS } from '../request/consumer/consumer-query.ts';
import { plan, type Plan } from '../request/plan.ts';

/** How exports run, whatever the endpoint. */
export interface ExportLimits {
  /** Seconds. */
  readonly time: number;
  readonly workload: string | undefined;
}

/** A request for an export. */
export interface ExportCall extends Call {
  /** Undefined: `download`. Read with the rest of the call. */
  readonly place: () => string | undefined;
  readonly idempotencyKey: string | undefined;
}

export interface AdmittedExport {
  readonly admitted: Admitted;
  readonly policy: ExportPolicy;
  readonly format: ExportFormat;
  readonly place: ExportPlace;
  /** Identifies what is asked for. */
  readonly request: string;
}

/** Admits a request for an export as a call of its endpoint. Throws Problem. */
export async function admitExport(
  path: RequestPath,
  call: ExportCall,
  kind?: AdmissionKind,
): Promise<AdmittedExport> {
  const admitted = await admit(path, call, kind);
  const { endpoint, content } = admitted;
  const policy = endpoint.export;
  if (policy === undefined)
    throw new Problem('export.unavailable', { detail: `${endpoint.name} has no exports` });
  const format = policy.formats.find((each) => each === content.format);
  if (format === undefined)
    throw new Problem('format.not_acceptable', {
      detail: `Exports of ${endpoint.name} have the formats ${policy.formats.join(', ')}`,
      hint: `Send format=${policy.formats[0] ?? 'parquet'}.`,
    });
  const sent = call.place() ?? 'download';
  const place = policy.places.find((each) => each === sent);
  if (place === undefined) throw invalid('export_to', `Expected ${policy.places.join(' or ')}`);
  checkFields(endpoint, content.fields);
  const fields = [...content.fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const asked = [
    endpoint.name,
    endpoint.version ?? 0,
    fields,
    format,
    place,
    content.redact,
    content.resultShape ?? '',
  ];
  return { admitted, policy, format, place, request: hash('sha256', JSON.stringify(asked), 'hex') };
}

/** Fields that would be no parameters of the endpoint, and would do nothing. Throws Problem. */
function checkFields({ page, live, parameters }: Endpoint, fields: CallContent['fields']): void {
  const names = [...(page === undefined ? [] : PAGE_FIELDS), ...(live === undefined ? [] : LIVE_FIELDS)];
  for (const name of names)
    if (fields.has(name) && parameters[name] === undefined) throw invalid(name, 'Exports do not have it');
}

function invalid(parameter: string, message: string): Problem {
  return new Problem('request.parameters_invalid', { errors: [{ parameter, message }] });
}

/** The plan of an export. Throws Problem, also for formats that cannot be redacted. */
export async function planExport(
  path: RequestPath,
  { admitted, policy, format }: Pick<AdmittedExport, 'admitted' | 'policy' | 'format'>,
  { time, workload }: ExportLimits,
): Promise<Plan> {
  const bound = bind(path, admitted);
  const endpoint = exported(bound.endpoint, policy, time);
  const planned = await plan(path, { ...bound, endpoint, opened: undefined, format });
  if (isRedactedPlan(planned) && (format === 'parquet' || format === 'arrow'))
    throw new Problem('format.not_acceptable', {
      detail: 'Exports without personal data are csv or ndjson',
      hint: 'Send format=csv or format=ndjson.',
    });
  const { requester } = planned;
  return {
    ...planned,
    metadata: undefined,
    requester: { ...requester, workload: requester.workload ?? workload, isPatient: true },
  };
}

/** Returns whether the rows of a plan are redacted. */
export function isRedactedPlan({ redactor }: Pick<Plan, 'redactor'>): boolean {
  return isRedacting(redactor);
}

const known = new WeakMap<Endpoint, Endpoint>();

/** The endpoint with the limits of its exports, once for each: what the engine says of it is remembered with it. */
function exported(endpoint: Endpoint, { maxRows }: ExportPolicy, time: number): Endpoint {
  const found = known.get(endpoint);
  if (found !== undefined && found.limits.time === time) return found;
  const { unlimited, limits } = endpoint;
  const made: Endpoint = Object.freeze({
    ...endpoint,
    maxRows,
    statement: `SELECT * FROM (\n${unlimited}\n) LIMIT ${maxRows + 1}`,
    limits: Object.freeze({ ...limits, time, resultBytes: 0 }),
    page: undefined,
    cache: undefined,
    readsRollups: false,
  });
  known.set(endpoint, made);
  return made;
}
