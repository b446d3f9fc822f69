// Opens exports over the request path.
import { join, resolve } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { createExports, type Exports } from '../exports/exports.ts';
import { openObjectStore } from '../exports/object-store.ts';
import { openExportStore } from '../exports/store.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { after, clock } from './clock.ts';
import type { OpenRequestPath } from './request-path.ts';

export async function openExports(
  { data, exports: { s3, ...limits } }: Settings,
  path: OpenRequestPath,
  observe: Observe,
): Promise<Exports> {
  const store = await openExportStore(join(resolve(data), 'exports'), clock.epoch);
  const objects = s3 && (await openObjectStore(s3));
  return createExports({ ...limits, path, store, objects, after, observe });
}
