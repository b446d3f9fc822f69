// Asks for an export: a call that is admitted and planned as any other, and then waits for its turn.
import { randomUUID } from 'node:crypto';
import { Problem } from '../../sql/base/problem.ts';
import { identityOf, type ExportIdentity } from './identity.ts';
import type { ExportsOptions } from './options.ts';
import {
  admitExport,
  isRedactedPlan,
  planExport,
  type AdmittedExport,
  type ExportCall,
} from './plan-export.ts';
import { isActive, type ExportRecord } from './record.ts';
import type { ExportRecords } from './records.ts';
import type { ExportJob } from './run-export.ts';

export interface CreateDeps extends ExportsOptions {
  readonly records: ExportRecords;
  readonly isClosed: () => boolean;
  /** Begins the job of an export that is noted. */
  readonly begin: (job: Omit<ExportJob, 'signal'>) => Promise<void>;
}

/** Resolves to the export, or to the one that was asked for with the same Idempotency-Key. Throws Problem. */
export async function createExport(deps: CreateDeps, call: ExportCall): Promise<ExportRecord> {
  const { path, places, records } = deps;
  const asked = await admitExport(path, call);
  const { principal, endpoint } = asked.admitted;
  const identity = identityOf(principal, endpoint, call.idempotencyKey);
  if (places === 0 || deps.isClosed())
    throw new Problem('export.unavailable', {
      detail: 'This service makes no exports',
      hint: 'The operator can raise the setting export_places.',
    });
  if (asked.place === 's3' && deps.objects === undefined)
    throw new Problem('export.unavailable', {
      detail: 'This service has no object store',
      hint: 'The operator can set export_s3_bucket. Send export_to=download.',
    });
  const before = earlier(records, identity, asked);
  if (before !== undefined) return before;
  const planned = await planExport(path, asked, deps);
  const again = earlier(records, identity, asked);
  if (again !== undefined) return again;
  checkCount(records, identity, asked);
  const record = recordOf(asked, identity, {
    isRedacted: isRedactedPlan(planned),
    created: path.clock.epoch(),
  });
  await deps.begin({ record, call, asked, planned });
  return records.get(record.id) ?? record;
}

/** One that was asked for with the same Idempotency-Key. Throws Problem `export.key_reused`. */
function earlier(
  { ofKey, mayShow }: ExportRecords,
  identity: ExportIdentity,
  { request }: AdmittedExport,
): ExportRecord | undefined {
  const { owner, idempotency } = identity;
  if (idempotency === undefined) return undefined;
  const found = ofKey(owner).find((each) => each.idempotency === idempotency && mayShow(identity, each));
  if (found === undefined || found.request === request) return found;
  throw new Problem('export.key_reused', { detail: 'This Idempotency-Key was used for another export' });
}

/** Exports of a key that are kept, whatever became of them. */
const MOST_KEPT = 1000;

/** Throws Problem `export.too_many`. */
function checkCount(
  { ofKey }: ExportRecords,
  { owner, endpoint }: ExportIdentity,
  { policy: { perKey } }: AdmittedExport,
): void {
  const all = ofKey(owner);
  if (all.length >= MOST_KEPT)
    throw new Problem('export.too_many', {
      detail: `This key has ${MOST_KEPT} exports`,
      hint: 'Delete those that you do not need, or wait until their time is over.',
      retryAfter: 60,
    });
  const active = all.filter((each) => each.endpoint === endpoint.name && isActive(each));
  if (active.length < perKey) return;
  throw new Problem('export.too_many', {
    detail: `${perKey} exports of this key wait or run: more are not possible on this endpoint`,
    retryAfter: 10,
  });
}

function recordOf(
  { admitted, policy, format, place, request }: AdmittedExport,
  { owner, idempotency }: ExportIdentity,
  made: Pick<ExportRecord, 'isRedacted' | 'created'>,
): ExportRecord {
  const { principal, endpoint } = admitted;
  return {
    id: randomUUID(),
    owner,
    principal: principal.name,
    endpoint: endpoint.name,
    version: endpoint.version,
    revision: endpoint.revision,
    format,
    place,
    request,
    idempotency,
    keep: policy.keep,
    state: 'waiting',
    rows: 0,
    bytes: 0,
    ...made,
  };
}
