// Tinybird's API over the request path.
import type { TinybirdOptions } from '../fronts/tinybird/routes.ts';
import type { BaseOptions } from '../http/base-server.ts';
import { admitKey, identifyKey } from '../request/admission/keys.ts';
import { answer } from '../request/answer.ts';
import type { Parts } from './parts.ts';

/** The listeners have `base` in common. */
export function tinybirdOptions({ path, catalog }: Parts, base: BaseOptions): TinybirdOptions {
  return {
    ...base,
    catalog: catalog.current,
    answer: (call) => answer(path, call),
    identifyKey: (...sent) => identifyKey(path, ...sent),
    admitKey: (...sent) => admitKey(path, ...sent),
  };
}
