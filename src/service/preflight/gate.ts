// Accepts consumer queries only after the sandbox self-test has passed.
import type { After } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { EngineError } from '../engine/engine.ts';
import type { PreflightFinding } from './finding.ts';

export interface PreflightGateOptions {
  /** Runs the self-test. Rejects with EngineError if the engine is unavailable. */
  readonly selfTest: () => Promise<readonly PreflightFinding[]>;
  /** It is true if consumer queries are accepted if one layer of isolation holds but another does not. */
  readonly acceptSingleLayer: boolean;
  /** Disables consumer queries for the given reason, or enables them. */
  readonly switchConsumerQueries: (offBecause: string | undefined) => void;
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
  const { selfTest, acceptSingleLayer, switchConsumerQueries, observe, after } = options;
  let isFirst = true;
  let isReported = false;
  let isClosed = false;
  let cancel: () => void = nothing;

  function apply(findings: readonly PreflightFinding[]): void {
    const open = findings.filter(({ outcome, layer }) => {
      return outcome === 'open' && !(layer !== 'checks' && acceptSingleLayer);
    });
    if (open.length > 0) return switchOff(open.map(({ layer, name }) => `${layer}: ${name}`));
    switchConsumerQueries(undefined);
    const known = findings.filter(({ outcome }) => outcome === 'known' || outcome === 'open');
    observe({ kind: 'sandbox.checked', attacks: findings.length, known: known.map(({ name }) => name) });
  }

  function switchOff(open: readonly string[]): void {
    switchConsumerQueries(open.join('; '));
    observe({ kind: 'sandbox.switched_off', open });
  }

  /** Until the first self-test has run; reported once. */
  function waitFor(cause: EngineError): void {
    switchConsumerQueries(`the self-test could not be run: the engine is ${cause.failure}`);
    if (!isReported) observe({ kind: 'sandbox.not_checked', cause });
    isReported = true;
  }

  async function check(): Promise<void> {
    cancel();
    const findings = await selfTest().catch((cause: unknown) => {
      if (cause instanceof EngineError) return cause;
      throw cause;
    });
    if (!(findings instanceof EngineError)) {
      isFirst = false;
      return apply(findings);
    }
    if (isFirst) waitFor(findings);
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

function nothing(): void {}
