// Loads rows into the tables of the embedded engine.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { createLoad } from '../loading/load.ts';
import { after } from './clock.ts';
import type { Parts } from './parts.ts';
import type { ServiceOptions } from './service-options.ts';

/** A server has its own clients. */
export function loadingOf({ engine, settings }: ServiceOptions): Parts['loading'] {
  if (engine.kind !== 'embedded') return undefined;
  const load = createLoad({ engine, dataFolder: resolve(settings.data), now: () => new Date() });
  return { key: randomBytes(24).toString('base64url'), load, after };
}
