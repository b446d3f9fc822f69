// The routes of exports over the request path.
import { identityOf } from '../exports/identity.ts';
import { addExportRoutes } from '../fronts/exports/routes.ts';
import type { Front } from '../fronts/server.ts';
import { rejectOtherMethods } from '../http/other-methods.ts';
import { findEndpoint } from '../request/admission/find-endpoint.ts';
import { admitKey } from '../request/admission/keys.ts';
import type { Parts } from './parts.ts';

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
