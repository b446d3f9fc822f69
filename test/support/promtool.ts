// Prometheus' own program for rules: checks files of rules, and evaluates them over scrapes of a service.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireProgram } from './require-program.ts';

const MISSING = 'promtool is missing: install Prometheus (Debian: apt-get install prometheus)';

/** The text of a scrape; undefined if nothing answered. */
export type Scrape = string | undefined;

export interface Evaluation {
  readonly rules: string;
  /** One a minute. */
  readonly scrapes: readonly Scrape[];
  /** The alerts that must fire at a scrape, by its index, and no others. */
  readonly firing: readonly { readonly at: number; readonly alerts: readonly string[] }[];
}

/** Throws an Error if promtool is not installed and cannot be. */
export function requirePromtool(): void {
  const isThere = (): boolean => spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
  requireProgram({ isThere, package: 'prometheus', missing: MISSING });
}

/** What promtool finds in a file of rules; empty if nothing. */
export function checkRules(rules: string): string {
  return failureOf(['check', 'rules', '--lint-fatal', rules]);
}

/** What promtool finds different from what must fire; empty if nothing. */
export function evaluateRules({ rules, scrapes, firing }: Evaluation): string {
  const file = join(mkdtempSync(join(tmpdir(), 'millrace-')), 'test.yaml');
  const test = {
    interval: '1m',
    input_series: seriesOf(scrapes),
    promql_expr_test: firing.map(({ at, alerts }) => ({
      expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${at}m`,
      exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
    })),
  };
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [test] }));
  return failureOf(['test', 'rules', file]);
}

function failureOf(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

/** As Prometheus labels them. */
const TARGET = 'job="millrace/millrace",instance="10.42.7.19:4001"';
const SAMPLE = /^(millrace_\w+)(?:\{(.*)\})? (\S+)$/gm;

/** Series in promtool's notation: `_` before there is a sample, `stale` once there is none any more. */
function seriesOf(scrapes: readonly Scrape[]): readonly { series: string; values: string }[] {
  const all = new Map<string, Map<number, string>>();
  for (const [minute, text] of scrapes.entries())
    for (const [series, value] of samplesOf(text))
      all.set(series, (all.get(series) ?? new Map<number, string>()).set(minute, value));
  return [...all].map(([series, values]) => {
    const first = Math.min(...values.keys());
    const valueAt = (minute: number): string => values.get(minute) ?? (minute < first ? '_' : 'stale');
    return { series, values: scrapes.map((_, minute) => valueAt(minute)).join(' ') };
  });
}

function samplesOf(text: Scrape): readonly (readonly [string, string])[] {
  const up = [`up{${TARGET}}`, text === undefined ? '0' : '1'] as const;
  const samples = [...(text ?? '').matchAll(SAMPLE)].map(
    ([, name = '', labels, value = '']) =>
      [`${name}{${labels === undefined ? '' : `${labels},`}${TARGET}}`, value] as const,
  );
  return [up, ...samples];
}
