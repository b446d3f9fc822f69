// Runs checks of the repository, each a command of its own: `npm run check` all of them, `npm run check -- types lint` those that are named.
import { spawnSync } from 'node:child_process';
import { runsShares, TEST_FILES } from '../../test/support/test-files.ts';

interface Check {
  readonly does: string;
  /** Commands of a shell, one after the other until one fails. */
  readonly run: readonly string[];
  /** Only if it is named. */
  readonly isNamed?: true;
}

const MILLRACE = 'node bin/millrace.cjs';
const WHOLE = 'vitest run --config vitest.whole.config.ts';
const SHARED = `TEST_ON_HTTP=none ${WHOLE} ${TEST_FILES.filter(runsShares).join(' ')}`;
const filesOf = (options = ''): string => `${MILLRACE} format --check ${options} && ${MILLRACE} test`;

const CHECKS: Readonly<Record<string, Check>> = {
  tests: { does: 'all test files; of long lists of cases a share of each kind', run: ['npm test'] },
  lists: { does: 'those lists whole', run: [`FUZZ_CASES=500 ${SHARED}`] },
  engines: {
    does: 'the services whose responses depend on the engine, each on the engine on which `npm test` does not run it',
    run: [`TEST_ON_HTTP=other ${WHOLE} .engines.test.ts`],
  },
  faults: { does: 'short fault scenarios', run: ['npm run --silent faults -- --short'] },
  'node-versions': {
    does: 'starts the built service on the oldest and newest supported releases of Node.js',
    run: ['tsx tools/scripts/node-versions.ts'],
  },
  types: { does: 'TypeScript', run: ['tsc', 'tsc -p explorer', 'tsc -p test/explorer'] },
  lint: {
    does: 'oxlint, and the figures of the structure and of the flows of requests',
    run: ['oxlint --deny-warnings', 'tsx tools/scripts/structure.ts', 'tsx tools/scripts/flows.ts'],
  },
  format: { does: 'the format of the code', run: ['oxfmt --check'] },
  generated: {
    does: 'whether generated files are up to date',
    run: ['npm run --silent generate -- --check'],
  },
  endpoints: {
    does: 'the shipped endpoint files and samples',
    run: [
      'npm run --silent build',
      `${MILLRACE} validate --strict endpoints && ${filesOf('endpoints')}`,
      `cd samples/otel && ${`${MILLRACE} validate --strict && ${filesOf()}`.replaceAll('bin/', '../../bin/')}`,
    ],
  },
  unused: { does: 'exports and packages that nothing uses', run: ['knip'] },
  fuzz: {
    does: 'the generated cases of the tests, many more of them: after updating the engine',
    run: [`FUZZ_CASES=\${FUZZ_CASES:-1000000} FUZZ_SEED=\${FUZZ_SEED:-1} ${SHARED}`],
    isNamed: true,
  },
};

function runCheck(name: string): boolean {
  const check = CHECKS[name];
  if (check === undefined) {
    console.error(`There is no check ${name}; there are ${Object.keys(CHECKS).join(', ')}`);
    return false;
  }
  return check.run.every((command) => spawnSync('sh', ['-c', command], { stdio: 'inherit' }).status === 0);
}

function main(names: readonly string[]): void {
  if (names.includes('--list')) {
    for (const [name, { does }] of Object.entries(CHECKS)) console.log(`${name}: ${does}`);
    return;
  }
  const usual = Object.keys(CHECKS).filter((name) => CHECKS[name]?.isNamed !== true);
  for (const name of names.length === 0 ? usual : names) {
    if (runCheck(name)) continue;
    console.error(`The check failed: ${name}`);
    process.exitCode = 1;
    return;
  }
}

main(process.argv.slice(2));
