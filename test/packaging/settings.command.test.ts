// The settings named in deploy/ and its guides exist and have valid values; also checks the systemd unit.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingNames, type Settings } from '../../src/service/config/settings.ts';
import { loadSettings } from '../../src/service/config/load-settings.ts';
import { scratch } from '../support/command.ts';
import {
  deployFiles,
  dockerInstructions,
  mapping,
  readText,
  readYaml,
  ROOT,
  textAt,
  unitDirectives,
} from './deploy-files.ts';

const KNOWN = new Set(settingNames().map(({ env }) => env));
/** Variables of compose, not of the service. */
const COMPOSE = new Set(['MILLRACE_CLICKHOUSE_PASSWORD', 'MILLRACE_CONSUMER_PASSWORD']);

const unit = unitDirectives();
const one = (name: string): string => unit.get(name)?.[0] ?? '';

/** `A=b C=d` as a mapping. */
function assignments(lines: readonly string[]): Record<string, string> {
  const pairs = lines.flatMap((line) => [...line.matchAll(/(\w+)=(\S+)/g)]);
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}

function kubernetesVariables(): Record<string, string> {
  const [map] = readYaml('deploy/kubernetes/settings.yaml');
  const [deployment] = readYaml('deploy/kubernetes/deployment.yaml');
  const secrets = [...mapping(deployment, 'spec.template.spec.containers.0.env').values()];
  return {
    ...Object.fromEntries([...mapping(map, 'data')].map(([name, value]) => [name, String(value)])),
    ...Object.fromEntries(secrets.map((each) => [textAt(each, 'name'), 'redis://secret'])),
  };
}

const PLACES: Readonly<Record<string, Record<string, string>>> = {
  Dockerfile: assignments(dockerInstructions().flatMap(({ name, rest }) => (name === 'ENV' ? [rest] : []))),
  compose: Object.fromEntries(
    [...mapping(readYaml('deploy/compose.yaml')[0], 'services.millrace.environment')].map(([name, value]) => [
      name,
      String(value),
    ]),
  ),
  kubernetes: kubernetesVariables(),
  systemd: assignments(unit.get('Environment') ?? []),
};

async function load(env: Record<string, string>): Promise<Settings> {
  const loaded = await loadSettings({
    flags: {},
    env,
    file: { path: join(scratch(), 'x'), required: false },
  });
  if ('diagnostics' in loaded) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.settings;
}

describe.each(Object.entries(PLACES))('%s', (_place, variables) => {
  test('contains only settings', () => {
    const names = Object.keys(variables).filter((name) => name !== 'NODE_ENV');
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !KNOWN.has(name))).toEqual([]);
  });

  test('gives them valid values', async () => {
    await expect(load(variables)).resolves.toHaveProperty('drainTimeout');
  });
});

/** Read by `millrace query --url`, which is a client of a service. */
const CLIENT_KEY = 'MILLRACE_KEY';

test.each([...deployFiles(), 'docs/operate/deploy.md', 'docs/operate/operating.md', 'README.md'])(
  '%s mentions only existing settings',
  (file) => {
    const named = readText(file).match(/\b(MILLRACE|CLICKHOUSE|REDIS)_[A-Z_]+\b/g) ?? [];
    expect(named.filter((name) => !KNOWN.has(name) && !COMPOSE.has(name) && name !== CLIENT_KEY)).toEqual([]);
  },
);

describe('the systemd unit', () => {
  test('starts the command of the package, and gives it time to drain', async () => {
    const { shutdownDelay, drainTimeout, data } = await load(PLACES['systemd'] ?? {});
    expect(one('ExecStart')).toMatch(/\/node_modules\/millrace\/bin\/millrace\.cjs serve$/);
    expect(Number(one('TimeoutStopSec'))).toBeGreaterThan(shutdownDelay + drainTimeout);
    expect(one('ExecReload')).toContain('-HUP');
    expect(data).toBe(`/var/lib/${one('StateDirectory')}`);
  });

  test('can write only to its data folder, and cannot gain privileges', () => {
    expect([one('ProtectSystem'), one('NoNewPrivileges'), one('CapabilityBoundingSet')]).toEqual([
      'strict',
      'yes',
      '',
    ]);
    expect(one('User')).not.toBe('root');
    expect(unit.has('ReadWritePaths')).toBe(false);
  });

  test('is rated as having low exposure by systemd, where that is installed', () => {
    const file = join(scratch(), 'millrace.service');
    const here = readText('deploy/millrace.service').replace(
      /^ExecStart=.*$/m,
      `ExecStart=${process.execPath} ${join(ROOT, 'bin/millrace.cjs')} serve`,
    );
    writeFileSync(file, here);
    const analyze = (...args: string[]): ReturnType<typeof spawnSync> =>
      spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
    const verified = analyze('verify');
    if (verified.error !== undefined) return;
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    expect(analyze('security', '--offline=yes', '--threshold=20').status).toBe(0);
  });
});
