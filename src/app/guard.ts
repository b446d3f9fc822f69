// Consumer queries are accepted only after the service has attacked itself, and nothing got through.
import { createDescribe } from '../catalog/describe.ts';
import type { LiveCatalog } from '../catalog/live.ts';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../core/observation.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import type { After } from '../engine/timer.ts';
import { runPreflight, type PreflightFinding } from '../request/preflight.ts';
import { createSandboxes, type Sandboxes } from '../request/sandboxes.ts';

export interface PreflightGateOptions {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly catalog: LiveCatalog;
  readonly sandboxes: Sandboxes;
  readonly observe: Observe;
  readonly after: After;
}

export interface PreflightGate {
  /** Runs the preflight and opens or shuts the gate by it. Resolves also when the engine could not be asked; that is tried again. */
  check(): Promise<void>;
  /** Tries no more. */
  close(): void;
}

/** After a preflight that the engine was too busy for, or away. */
const RETRY_MS = 5000;

/** Shut until the first check. A preflight that could not be run changes nothing: nobody can shut the gate by keeping the engine busy. */
export function createPreflightGate(options: PreflightGateOptions): PreflightGate {
  const { engine, settings, observe, catalog, sandboxes, after } = options;
  let isFirst = true;
  let isClosed = false;
  let cancel: () => void = () => undefined;

  function judge(findings: readonly PreflightFinding[]): void {
    const open = findings.filter(({ outcome, wall }) => {
      return outcome === 'open' && !(wall !== 'checks' && settings.acceptSingleWall);
    });
    if (open.length > 0) return switchOff(open.map(({ wall, name }) => `${wall}: ${name}`));
    sandboxes.switch(undefined);
    const known = findings.filter(({ outcome }) => outcome === 'known' || outcome === 'open');
    observe({ kind: 'sandbox.checked', attacks: findings.length, known: known.map(({ name }) => name) });
  }

  function switchOff(open: readonly string[]): void {
    sandboxes.switch(open.join('; '));
    observe({ kind: 'sandbox.switched_off', open });
  }

  async function check(): Promise<void> {
    cancel();
    const findings = await preflight(engine, catalog).catch((cause: unknown) => {
      if (cause instanceof EngineError) return cause;
      throw cause;
    });
    if (!(findings instanceof EngineError)) {
      isFirst = false;
      return judge(findings);
    }
    if (isFirst) switchOff([`the self-test could not be run: the engine is ${findings.failure}`]);
    if (!isClosed) cancel = after(RETRY_MS, () => void check());
  }

  return {
    check,
    close: () => {
      isClosed = true;
      cancel();
    },
  };
}

/** Tries the barriers with sandboxes of its own, which are never switched off. */
export function preflight(engine: Engine, catalog: LiveCatalog): Promise<readonly PreflightFinding[]> {
  const sandboxes = createSandboxes(engine, createDescribe(engine));
  return runPreflight({ catalog: catalog.current(), engine, sandboxes });
}
