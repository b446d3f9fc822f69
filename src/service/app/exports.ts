// Opens exports over the request path, and their routes.
import { join, resolve } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { createExports, type Exports } from '../exports/exports.ts';
import { identityOf } from '../exports/identity.ts';
import { openExportStore } from '../exports/store.ts';
import { addExportRoutes } from '../fronts/exports/routes.ts';
import type { Front } from '../fronts/server.ts';
import { rejectOtherMethods } from '../http/other-methods.ts';
import { findEndpoint } from '../request/admission/find-endpoint.ts';
import { admitKey } from '../request/admission/keys.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { after, clock } from './clock.ts';
import type { Parts } from './parts.ts';
import type { OpenRequestPath } from './request-path.ts';

export async function openExports(
  { data, exports: { places, disk, time, workload } }: Settings,
  path: OpenRequestPath,
  observe: Observe,
): Promise<Exports> {
  const store = await openExportStore(join(resolve(data), 'exports'), clock.epoch);
  return createExports({ path, store, places, disk, time, workload, after, observe });
}

export function exportsFront({ exports, path, catalog, settings }: Parts): Front {
  const { headerPrefix, sendTimeout } = settings;
  return (app) =>
    addExportRoutes(
      app,
      {
        exports,
        identify: async (key, name, record) => {
          const principal = await admitKey(path, key, record, 'check');
          const endpoint = findEndpoint(catalog.current(), principal, name);
          record.endpoint = endpoint;
          return identityOf(principal, endpoint);
        },
        headerPrefix,
        cutOffIdle: (response) => {
          response.setTimeout(sendTimeout * 1000, () => response.destroy());
        },
      },
      rejectOtherMethods,
    );
}
