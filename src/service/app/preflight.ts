// Connects the sandbox self-test to the engine and the catalog.
import type { Describe } from '../endpoints/describe.ts';
import type { LiveCatalog } from '../endpoints/live.ts';
import type { Engine } from '../engine/engine.ts';
import { Problem } from '../../sql/base/problem.ts';
import { runPreflight } from '../preflight/preflight.ts';
import type { PreflightFinding } from '../preflight/finding.ts';
import { createSandboxes } from '../request/consumer/sandboxes.ts';

/**
 * Runs the self-test with a separate set of sandboxes, which are never disabled, over tables as described for requests. An
 * endpoint whose tables cannot be redacted, since they are missing, is tested without redaction: its calls fail, and the checks
 * are the same. Rejects with EngineError.
 */
export function preflight(
  engine: Engine,
  catalog: Pick<LiveCatalog, 'current'>,
  describe: Describe,
): Promise<readonly PreflightFinding[]> {
  const sandboxes = createSandboxes(engine, describe);
  return runPreflight({
    catalog: catalog.current(),
    engine,
    sandboxOf: (endpoint) =>
      sandboxes.of(endpoint, endpoint.redaction.always).catch((cause: unknown) => {
        if (cause instanceof Problem) return sandboxes.of(endpoint, false);
        throw cause;
      }),
  });
}
