// Starts the built service on the oldest and the newest releases of Node.js that `engines` allows, and on one that it does not:
// the programs are those of npm's package `node`, about 50 MB each. Also checks that npm reports no package as made for others.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const BIN = join(ROOT, 'bin/millrace.cjs');
const SUPPORTED = ['20.19.2', '22.12.0', '22', '24'];
/** The last release whose HTTP parser does not have the method QUERY. */
const UNSUPPORTED = '20.19.1';

const folder = mkdtempSync(join(tmpdir(), 'millrace-node-'));

/** The path of the program of a release, or of the newest of a line. */
function install(version: string): string {
  const home = join(folder, version);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "private": true }');
  // Its install script, which copies the program for this system, is what it consists of.
  execFileSync('npm', ['install', '--silent', '--ignore-scripts=false', `node@${version}`], { cwd: home });
  return join(home, 'node_modules/node/bin/node');
}

/** The lines in which npm, run by this program, warns of packages that ask for another release. */
function engineWarnings(node: string): readonly string[] {
  const npm = process.env['npm_execpath'];
  if (npm === undefined) throw new Error('Start this with npm run check -- node-versions');
  const args = ['ci', '--dry-run', '--ignore-scripts'];
  const script = `const { spawnSync } = require('node:child_process');
    const { status, stderr } = spawnSync(process.execPath, ${JSON.stringify([npm, ...args])}, { encoding: 'utf8' });
    process.stdout.write(stderr); process.exitCode = status;`;
  const output = execFileSync(node, ['-e', script], { cwd: ROOT, encoding: 'utf8' });
  return output.split('\n').filter((line) => line.includes('EBADENGINE'));
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Serves the samples, and once the service listens, passes the call that it prints to `use`, and stops it. */
async function serve(node: string, use: (url: string, header: string) => Promise<void>): Promise<Ended> {
  const cwd = mkdtempSync(join(folder, 'served-'));
  const child = spawn(node, [BIN, 'serve', '--dev', '--port', '0', '--admin-port', '0'], { cwd });
  let output = '';
  let used: Promise<void> | undefined;
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    const [, header = '', url] = /curl -H '([^']+)' '([^']+)'/.exec(output) ?? [];
    if (url !== undefined) used ??= use(url, header).finally(() => child.kill('SIGTERM'));
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  await used;
  return { code, output };
}

/** Says what is wrong on this release; undefined if nothing is. */
async function failureOn(version: string): Promise<string | undefined> {
  const node = install(version);
  const warnings = engineWarnings(node);
  if (warnings.length > 0) return warnings.join('\n');
  const statuses: number[] = [];
  const { code, output } = await serve(node, async (url, header) => {
    const [name = '', key = ''] = header.split(': ');
    const { status } = await fetch(url, { headers: { [name]: key } });
    statuses.push(status);
  });
  const isServed = code === 0 && statuses.join() === '200';
  return isServed ? undefined : `statuses ${statuses.join(', ')}, exit ${code}: ${output}`;
}

async function failureOnUnsupported(version: string): Promise<string | undefined> {
  const { code, output } = await serve(install(version), async () => undefined);
  const endsInSentence = code === 2 && output.trim().split('\n').length === 1 && output.includes(version);
  return endsInSentence ? undefined : `does not end with one line, exit ${code}: ${output}`;
}

async function report(version: string, check: (version: string) => Promise<string | undefined>) {
  const failure = await check(version);
  console.log(`Node.js ${version}: ${failure ?? 'passed'}`);
  if (failure !== undefined) process.exitCode = 1;
}

try {
  for (const version of SUPPORTED) await report(version, failureOn);
  await report(UNSUPPORTED, failureOnUnsupported);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
