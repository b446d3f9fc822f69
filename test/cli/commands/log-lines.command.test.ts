// Every line that a service prints while it runs is JSON: also what Node.js says, and errors that nothing caught.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { scratch, start, type Running } from '../../support/command.ts';

let running: Running | undefined;
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.finished;
});

/** With seeds on the embedded engine, and a program that misbehaves inside of it. */
async function serveWith(program: string): Promise<Running> {
  const cwd = scratch();
  for (const folder of ['endpoints', 'seeds']) mkdirSync(join(cwd, folder));
  writeFileSync(
    join(cwd, 'seeds/1.sql'),
    'CREATE TABLE default.t (n UInt8) ENGINE = MergeTree ORDER BY n;\n',
  );
  writeFileSync(join(cwd, 'tokens.yaml'), 'tokens: []\n');
  writeFileSync(join(cwd, 'program.cjs'), program);
  const env = { MILLRACE_TOKENS: 'tokens.yaml', NODE_OPTIONS: `--require ${join(cwd, 'program.cjs')}` };
  running = start(['serve', '--port', '0', '--admin-port', '0'], { cwd, env });
  await running.says(/"event":"service\.started"/);
  return running;
}

/** The lines of standard output, each parsed. */
const linesOf = (out: string): Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>); // our own log

test('notes and warnings, and nothing on standard error', async () => {
  const service = await serveWith(
    "process.once('SIGUSR2', () => process.emitWarning('about Kanarienvogel', 'OddWarning'))",
  );
  service.child.kill('SIGUSR2');
  await service.says(/process\.warning/);
  service.child.kill('SIGTERM');
  const { code, out, err } = await service.finished;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const lines = linesOf(out);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 30, event: 'service.note', text: expect.stringContaining('seeds') }),
  );
  expect(lines).toContainEqual(expect.objectContaining({ level: 40, event: 'process.warning' }));
  expect(lines.every(({ time }) => typeof time === 'string')).toBe(true);
  expect(out).not.toContain('Kanarienvogel');
});

test.each([
  ['an error', "throw new TypeError('about Kanarienvogel')"],
  ['a rejected promise', "Promise.reject(new TypeError('about Kanarienvogel'))"],
])('%s that nothing catches is the last line', async (_, statement) => {
  const service = await serveWith(`process.once('SIGUSR2', () => { ${statement}; })`);
  service.child.kill('SIGUSR2');
  const { code, out, err } = await service.finished;
  expect({ code, err }).toEqual({ code: 1, err: '' });
  const last = linesOf(out).at(-1);
  expect(last).toMatchObject({
    level: 60,
    event: 'process.failed',
    cause: expect.stringMatching(/^TypeError at /),
  });
  expect(out).not.toContain('Kanarienvogel');
});
