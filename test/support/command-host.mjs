// Runs commands one after the other, as `bin/millrace.cjs` does, without loading the modules again for each.
import { main } from '../../dist/commands/main.js';

/** A command listens until its process ends. */
const EVENTS = ['exit', 'SIGTERM', 'SIGINT', 'SIGHUP'];

async function runOne({ args, cwd, env }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env, { TZ: 'UTC' });
  process.chdir(cwd);
  process.exitCode = undefined;
  const written = { out: '', err: '' };
  const listeners = Object.fromEntries(EVENTS.map((event) => [event, process.listeners(event)]));
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
  await main(['node', 'millrace', ...args]);
  process.stdout.write = streams.out;
  process.stderr.write = streams.err;
  for (const event of EVENTS)
    for (const listener of process.listeners(event))
      if (!listeners[event].includes(listener)) process.off(event, listener);
  process.chdir('/'); // the folder of the command may be removed
  process.send({ code: process.exitCode ?? 0, ...written });
}

process.on('message', (message) => void runOne(message));
