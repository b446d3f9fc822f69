// Lists the fronts beside the API: a front is a folder of `service/fronts/`, and a line here.
import { addEventsRoute } from '../fronts/changes/routes.ts';
import {
  CLICKHOUSE_ROUTE,
  createClickHouseRoutes,
  type ClickHouseOptions,
} from '../fronts/clickhouse/routes.ts';
import { addExplorer } from '../fronts/explorer/routes.ts';
import { addMcp } from '../fronts/mcp/routes.ts';
import type { Front } from '../fronts/server.ts';
import { addTinybird, TINYBIRD_ROUTE, type TinybirdOptions } from '../fronts/tinybird/routes.ts';
import type { BaseOptions } from '../http/base-server.ts';
import { rejectOtherMethods } from '../http/other-methods.ts';
import { admitKey, identifyKey, type AdmitKey } from '../request/admission/keys.ts';
import { usageFront, whyFront } from './call-reports.ts';
import { after } from './clock.ts';
import { exportsFront } from './exports-front.ts';
import type { Parts } from './parts.ts';
import { openMcp } from './mcp.ts';

/** Fronts that can have a listener of their own need these. */
export interface InterfaceOptions {
  readonly clickhouse: ClickHouseOptions;
  readonly tinybird: TinybirdOptions;
}

/** The listeners have `base` in common. */
export function frontsOf(
  parts: Parts,
  base: BaseOptions,
  { clickhouse, tinybird }: InterfaceOptions,
): readonly Front[] {
  const { settings, path, catalog, isDevelopment } = parts;
  const fronts: readonly (Front | false)[] = [
    (app) => addExplorer(app, rejectOtherMethods),
    usageFront(parts),
    whyFront(parts),
    exportsFront(parts),
    isDevelopment &&
      ((app) => {
        const options = {
          admitKey: (...sent: Parameters<AdmitKey>) => admitKey(path, ...sent),
          changes: catalog,
          after,
        };
        addEventsRoute(app, options, rejectOtherMethods);
      }),
    settings.clickhouseInterface && ((app) => createClickHouseRoutes(clickhouse).add(app, CLICKHOUSE_ROUTE)),
    settings.tinybird.isServed && ((app) => addTinybird(app, TINYBIRD_ROUTE, tinybird)),
    settings.mcp &&
      ((app) =>
        addMcp(app, {
          ...base,
          answer: openMcp(parts, settings.cacheMemory),
          identifyKey: (...sent) => identifyKey(path, ...sent),
          issuer: settings.jwt?.issuer,
          publicUrl: settings.publicUrl,
        })),
  ];
  return fronts.filter((front) => front !== false);
}
