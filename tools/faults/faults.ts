// Injects faults into the built service and checks the outcome against each scenario's pass criteria.
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { runScenario, type Result } from './run-scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const HELP = `npm run faults -- [--only NAME] [--seed N] [--short] [--minutes N] [--json FILE]
  --only      run only scenarios whose name contains NAME
  --seed      repeat what chance chose in the run that printed this seed
  --short     seconds instead of minutes, and times do not count
  --minutes   how long the soak goes on (default 10)
  --json      also write what was measured to FILE

${SCENARIOS.map(({ name, pass }) => `  ${name.padEnd(14)}${pass}`).join('\n')}
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      seed: { type: 'string' },
      short: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '10' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
  const options = { seed, isShort: values.short, minutes: Number(values.minutes) };
  const chosen = SCENARIOS.filter(({ name }) => name.includes(values.only));
  if (chosen.length === 0 || !Number.isFinite(seed) || !(options.minutes > 0)) {
    process.stderr.write(HELP);
    process.exitCode = 2;
    return;
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const results: Result[] = [];
  for (const scenario of chosen) {
    const note = (line: string): void =>
      print(`${results.length + 1}/${chosen.length} ${scenario.name}: ${line}`);
    note('begins');
    const result = await runScenario(scenario, { ...options, note });
    results.push(result);
    note(`${result.passed ? 'passed' : 'FAILED'} in ${result.seconds.toFixed(0)} s`);
  }
  process.stdout.write(`${report(results, seed)}\n`);
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ machine: machine(), options, results }, null, 2)}\n`);
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
}

function report(results: readonly Result[], seed: number): string {
  const rows = results.map(
    ({ name, pass, passed, seconds, ...rest }) =>
      `| ${name} | ${pass} | ${measured(rest)} | ${passed ? 'passed' : '**failed**'} | ${seconds.toFixed(0)} |`,
  );
  return [
    `Machine: ${machine()}. Repeat with --seed ${seed}.`,
    '',
    '| fault | criterion | measured | result | seconds |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function measured({ checks, failure }: Pick<Result, 'checks' | 'failure'>): string {
  if (failure !== undefined) return failure.split('\n')[0]?.replaceAll('|', '/') ?? '';
  return checks
    .map(({ what, measured, passed }) => (passed ? `${what}: ${measured}` : `**${what}: ${measured}**`))
    .join('; ')
    .replaceAll('|', '/');
}

function machine(): string {
  return `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`;
}

/** On a terminal, each line overwrites the previous one. */
function print(line: string): void {
  const isFinal = /(passed|FAILED) in \d+ s$|\n/.test(line);
  process.stderr.write(process.stderr.isTTY && !isFinal ? `\u001b[2K\r${line}\r` : `${line}\n`);
}

await main();
