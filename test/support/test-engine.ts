// An embedded engine in a temporary folder, for tests that need one and no service.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedEngine } from '../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../src/service/engine/engine.ts';
import { accessTypes, OUTSIDE_SOURCE_NAMES } from '../../src/sql/clickhouse/outside-sources.ts';
import { REAL_TIME } from './real-time.ts';

/** Queries may name every source; its process has no network. */
export function openTestEngine(connections = 1): Promise<Engine> {
  const path = join(mkdtempSync(join(tmpdir(), 'millrace-')), 'engine');
  const limits = { connections, queue: 100, memory: 2 ** 30 };
  const sources = accessTypes(OUTSIDE_SOURCE_NAMES);
  return createEmbeddedEngine({ ...REAL_TIME, path, ...limits, sources, observe: () => undefined });
}
