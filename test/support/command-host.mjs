// Runs commands one after the other, as `bin/millrace.cjs` does, without loading the modules again for each.
import { main } from '../../dist/commands/main.js';
import { sharing } from './schema-engines.mjs';

/** A command listens until its process ends. */
const LISTENED = [
  ...['exit', 'SIGTERM', 'SIGINT', 'SIGHUP'].map((event) => [process, event]),
  [process.stdout, 'error'],
  [process.stderr, 'error'],
];

async function runOne({ args, cwd, env }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env, { TZ: 'UTC' });
  process.chdir(cwd);
  process.exitCode = undefined;
  const written = { out: '', err: '' };
  const listeners = LISTENED.map(([emitter, event]) => [emitter, event, emitter.listeners(event)]);
  const capture =
    (name) =>
    (chunk, ...rest) => {
      written[name] += chunk.toString();
      const done = rest.find((each) => typeof each === 'function');
      if (done !== undefined) queueMicrotask(done);
      return true;
    };
  const streams = { out: process.stdout.write, err: process.stderr.write };
  process.stdout.write = capture('out');
  process.stderr.write = capture('err');
  await main(['node', 'millrace', ...args], sharing);
  process.stdout.write = streams.out;
  process.stderr.write = streams.err;
  for (const [emitter, event, before] of listeners)
    for (const listener of emitter.listeners(event))
      if (!before.includes(listener)) emitter.off(event, listener);
  process.chdir('/'); // the folder of the command may be removed
  process.send({ code: process.exitCode ?? 0, ...written });
}

process.on('message', (message) => void runOne(message));
// An engine that is kept would keep the process alive.
process.on('disconnect', () => process.exit());
