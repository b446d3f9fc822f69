// A process that opens the engine, starts a statement, reports it and waits: for a test that kills it.
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { collect, statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const [, , path = '', sql = ''] = process.argv;
const observe = (): void => undefined;
const engine = await createEmbeddedEngine({
  ...REAL_TIME,
  path,
  connections: 2,
  queue: 10,
  memory: 2 ** 30,
  observe,
});
void collect(engine, statement(sql));
await collect(engine, statement('SELECT 1'));
process.stdout.write('running\n');
setInterval(() => undefined, 60_000);
