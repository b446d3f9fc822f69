// The walls around consumers' queries, tried before anybody else can.
import { createDescribe } from '../catalog/describe.ts';
import type { LiveCatalog } from '../catalog/live.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../core/observation.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { runPreflight, type PreflightFinding } from '../request/preflight.ts';
import { createSandboxes, type Sandboxes } from '../request/sandboxes.ts';

export interface Guarded {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly catalog: LiveCatalog;
  readonly sandboxes: Sandboxes;
  readonly observe: Observe;
}

/** Attacks itself, and takes no queries of consumers while anything gets through. */
export async function guard({ engine, settings, observe, catalog, sandboxes }: Guarded): Promise<void> {
  const findings = await preflight(engine, catalog).catch((cause: unknown) => {
    if (cause instanceof EngineError) return undefined;
    throw cause;
  });
  if (findings === undefined)
    return switchOff(sandboxes, observe, ['the engine was away when the walls were tried']);
  const open = findings.filter(({ outcome, wall }) => {
    return outcome === 'open' && !(wall !== 'checks' && settings.acceptSingleWall);
  });
  if (open.length > 0)
    return switchOff(
      sandboxes,
      observe,
      open.map(({ wall, name }) => `${wall}: ${name}`),
    );
  sandboxes.switch(undefined);
  const known = findings
    .filter((each) => each.outcome === 'known' || each.outcome === 'open')
    .map((each) => each.name);
  observe({ kind: 'sandbox.checked', attacks: findings.length, known });
}

function switchOff(sandboxes: Sandboxes, observe: Observe, open: readonly string[]): void {
  sandboxes.switch(open.join('; '));
  observe({ kind: 'sandbox.switched_off', open });
}

/** Tries the walls with sandboxes of its own, which nobody switches off. */
export function preflight(engine: Engine, catalog: LiveCatalog): Promise<readonly PreflightFinding[]> {
  const sandboxes = createSandboxes(engine, createDescribe(engine));
  return runPreflight({ catalog: catalog.current(), engine, sandboxes });
}
