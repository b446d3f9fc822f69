// Lines of the log: levels, and no message of an error that could quote what callers sent or rows.
import { describe, expect, test } from 'vitest';
import type { Observation } from '../../src/core/observation.ts';
import { Problem } from '../../src/core/problem.ts';
import { EngineError } from '../../src/engine/engine.ts';
import { createLog } from '../../src/observe/log.ts';
import { plantedIn } from '../support/failing-statements.ts';

function linesOf(...observations: readonly Observation[]): Record<string, unknown>[] {
  const lines: string[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(line) }, () => 0);
  for (const each of observations) log(each);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>); // our own log
}

const QUOTED = new EngineError('rejected', "Code: 6. DB::Exception: Cannot parse string 'Kanarienvogel'", {
  engineCode: 6,
});
const CAUSE = new Problem('endpoint.failed', { detail: 'Zeisig', cause: QUOTED });

describe('the cause', () => {
  test.each<Observation>([
    { kind: 'catalog.failed', cause: CAUSE },
    { kind: 'tokens.jwks_failed', cause: CAUSE },
    { kind: 'tokens.use_not_stored', cause: CAUSE },
    { kind: 'cache.remote_lost', cause: CAUSE },
    { kind: 'cache.write_rejected', cause: CAUSE },
    { kind: 'cache.refresh_failed', key: 'k', cause: CAUSE },
    { kind: 'cache.check_failed', endpoint: 'e', cause: CAUSE },
    { kind: 'warming.failed', endpoint: 'e', failures: 1, cause: CAUSE },
    { kind: 'live.failed', endpoint: 'e', code: 'endpoint.failed', cause: CAUSE },
    { kind: 'usage.not_written', rows: 1, dropped: 0, cause: CAUSE },
    { kind: 'engine.process_not_started', cause: CAUSE },
    { kind: 'engine.host_lost', host: 'h', cause: CAUSE },
    { kind: 'engine.kill_failed', cause: CAUSE },
    { kind: 'process.failed', cause: CAUSE },
    { kind: 'process.warning', cause: CAUSE },
  ])('of $kind has the code and the kind of error only', (observation) => {
    const [line] = linesOf(observation);
    expect(plantedIn(JSON.stringify(line))).toEqual([]);
    expect(line?.['cause']).toBe(
      'endpoint.failed < CANNOT_PARSE_TEXT (6): a text cannot be parsed as a type',
    );
  });
});
