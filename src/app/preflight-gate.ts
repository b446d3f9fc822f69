// Accepts consumer queries only after the sandbox self-test has passed.
import { createDescribe } from '../catalog/describe.ts';
import type { LiveCatalog } from '../catalog/live.ts';
import type { Settings } from '../config/settings.ts';
import type { After } from '../core/clock.ts';
import type { Observe } from '../core/observation.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
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
  /**
   * Runs the self-test and opens or closes the gate accordingly. Also resolves if the engine was unavailable; the test
   * is then retried.
   */
  check(): Promise<void>;
  /** Stops retrying. */
  close(): void;
}

/** Milliseconds before retrying a self-test that failed because the engine was busy or unavailable. */
const RETRY_MS = 5000;

/**
 * Closed until the first check. After that, a self-test that could not run changes nothing, so that overloading the
 * engine cannot disable consumer queries.
 */
export function createPreflightGate(options: PreflightGateOptions): PreflightGate {
  const { engine, settings, observe, catalog, sandboxes, after } = options;
  let isFirst = true;
  let isClosed = false;
  let cancel: () => void = nothing;

  function judge(findings: readonly PreflightFinding[]): void {
    const open = findings.filter(({ outcome, layer }) => {
      return outcome === 'open' && !(layer !== 'checks' && settings.acceptSingleLayer);
    });
    if (open.length > 0) return switchOff(open.map(({ layer, name }) => `${layer}: ${name}`));
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

/** Tests the barriers with a separate set of sandboxes, which are never switched off. */
export function preflight(engine: Engine, catalog: LiveCatalog): Promise<readonly PreflightFinding[]> {
  const sandboxes = createSandboxes(engine, createDescribe(engine));
  return runPreflight({ catalog: catalog.current(), engine, sandboxes });
}

function nothing(): void {}
