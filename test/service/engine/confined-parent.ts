// Opens the engine where some system calls do not exist, as on an older kernel or under a container's profile, runs a statement and
// prints what came of it as JSON. Arguments: the data folder, the mode of confinement and the calls.
import type { Observation } from '../../../src/sql/base/observation.ts';
import { installFilter } from '../../../src/service/engine/embedded/confinement/confine.ts';
import type { ConfinementMode } from '../../../src/service/engine/embedded/confinement/confinement.ts';
import {
  ENOSYS,
  filterOf,
  type Rule,
} from '../../../src/service/engine/embedded/confinement/seccomp-filter.ts';
import type { SystemCall } from '../../../src/service/engine/embedded/confinement/system-calls.ts';
import { openSystem } from '../../../src/service/engine/embedded/confinement/system.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { EngineError } from '../../../src/service/engine/engine.ts';
import { rows, statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const [, , path = '', mode = 'preferred', ...hidden] = process.argv;

if (hidden.length > 0) {
  const system = openSystem();
  if (typeof system === 'string') throw new Error(system);
  const rules = hidden.map((call): Rule => ({ call: call as SystemCall, error: ENOSYS })); // named by the test
  const failure = installFilter(system, filterOf(rules, system.architecture));
  if (failure !== undefined) throw new Error(failure);
}
const observed: Observation[] = [];
const confinement = { mode: mode as ConfinementMode, read: [], write: [], network: false }; // named by the test
const options = { connections: 2, queue: 10, memory: 2 ** 30, confinement };
const observe = (each: Observation): void => void observed.push(each);
const opened = await createEmbeddedEngine({ ...REAL_TIME, path, ...options, observe }).catch(
  (cause: unknown) => cause,
);
if (opened instanceof Error) {
  const failure = opened instanceof EngineError ? opened.failure : undefined;
  process.stdout.write(`${JSON.stringify({ failure, message: opened.message })}\n`);
} else {
  const engine = opened as Awaited<ReturnType<typeof createEmbeddedEngine>>; // not the error
  const files = await rows(engine, statement("SELECT file('/etc/hostname') != '' AS n")).catch(
    (cause: unknown) => (cause instanceof EngineError ? cause.engineCode : String(cause)),
  );
  const result = { confinement: engine.confinement?.(), files, observed: observed.filter(isConfined) };
  await engine.close(0);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

function isConfined({ kind }: Observation): boolean {
  return kind === 'engine.confined';
}
