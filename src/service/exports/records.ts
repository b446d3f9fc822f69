// The exports that a process knows: those in memory are those in the folder.
import { Problem } from '../../sql/base/problem.ts';
import { referenceOf } from '../endpoints/endpoint.ts';
import type { ExportIdentity } from './identity.ts';
import type { ExportsOptions } from './options.ts';
import { expiryOf, type ExportRecord } from './record.ts';

export interface ExportRecords {
  readonly get: (id: string) => ExportRecord | undefined;
  readonly set: (record: ExportRecord) => void;
  readonly forget: (record: ExportRecord) => void;
  /** Those of a key that are not to be removed, the newest first. */
  readonly ofKey: (owner: string) => readonly ExportRecord[];
  /** One of the key of this endpoint. Throws Problem `export.unknown`. */
  readonly find: (identity: ExportIdentity, id: string) => ExportRecord;
  /** Returns whether an export may be shown to a key that has another setting now. */
  readonly mayShow: (identity: ExportIdentity, record: ExportRecord) => boolean;
  /** Returns whether the endpoint returns what it returned when the export was asked for. */
  readonly isCurrent: (record: ExportRecord) => boolean;
  readonly remove: (record: ExportRecord) => Promise<void>;
  /** Removes those whose time is over. */
  readonly sweep: () => void;
  /** Bytes of all results on the disk. */
  readonly bytes: () => number;
}

export function createRecords({
  store,
  path,
  observe,
  objects,
}: Pick<ExportsOptions, 'store' | 'path' | 'observe' | 'objects'>): ExportRecords {
  const records = new Map(store.found.map((record) => [record.id, record]));
  const isGone = (record: ExportRecord): boolean => (expiryOf(record) ?? Infinity) <= path.clock.epoch();
  const remove = async (record: ExportRecord): Promise<void> => {
    records.delete(record.id);
    try {
      if (record.place === 's3' && record.state === 'finished') await objects?.remove(record);
      await store.remove(record);
    } catch (cause) {
      records.set(record.id, { ...record, keep: 0 }); // tried again later, and not shown until then
      observe({ kind: 'export.not_kept', cause });
    }
  };
  return {
    get: (id) => records.get(id),
    set: (record) => void records.set(record.id, record),
    forget: ({ id }) => void records.delete(id),
    ofKey: (owner) =>
      [...records.values()]
        .filter((each) => each.owner === owner && !isGone(each))
        .toSorted((a, b) => b.created - a.created),
    find: (identity, id) => {
      const record = records.get(id);
      if (record?.owner !== identity.owner || isGone(record) || !mayShow(identity, record))
        throw new Problem('export.unknown');
      return record;
    },
    mayShow,
    isCurrent: ({ endpoint: name, version, revision }) =>
      path.catalog().find(referenceOf({ name, version }))?.revision === revision,
    remove,
    sweep: () => {
      for (const record of records.values()) if (isGone(record)) void remove(record);
    },
    bytes: () => {
      let sum = 0;
      for (const { place, state, bytes } of records.values())
        if (state === 'running' || (state === 'finished' && place === 'download')) sum += bytes;
      return sum;
    },
  };
}

function mayShow({ endpoint, principal }: ExportIdentity, record: ExportRecord): boolean {
  return record.endpoint === endpoint.name && (record.isRedacted || !principal.redact);
}
