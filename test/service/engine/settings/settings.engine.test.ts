// A decision on every setting of the engine's release: what it keeps from one statement to the next, and whether a caller could see in
// a response what others have run. A new release of the engine fails here until its new and changed settings are decided.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Engine } from '../../../../src/service/engine/engine.ts';
import { FIXED_SETTINGS, ISOLATION_SETTINGS } from '../../../../src/service/engine/settings.ts';
import { rows, statement } from '../../../support/engine-statements.ts';
import { openTestEngine } from '../../../support/test-engine.ts';

interface Decided {
  readonly settings: readonly string[];
  readonly set?: 'all' | 'consumers';
  readonly keeps: string;
  readonly decision: string;
}

interface Decisions {
  readonly groups: Readonly<Record<string, string>>;
  readonly state: readonly Decided[];
}

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const decisions = parse(read('decisions.yaml')) as Decisions; // its shape is asserted below

/** Name, default (or, of an alias, the other name) and group. */
type Row = readonly [name: string, value: string, group: string];
const decided = read('settings.tsv')
  .trimEnd()
  .split('\n')
  .map((line): Row => {
    const [name = '', value = '', group = ''] = line.split('\t');
    return [name, value, group];
  });
const groupOf = new Map(decided.map(([name, , group]) => [name, group]));
const byName = decisions.state.flatMap(({ settings }) => settings);

/** Defaults that depend on the number of processors are `auto`; control characters are escaped as in TSV. */
const KNOWN = `SELECT name, if(alias_for != '', alias_for, replaceRegexpOne(default, '^''?auto\\\\(\\\\d+\\\\)''?$', 'auto')) AS value,
  multiIf(alias_for != '', 'alias', is_obsolete, 'obsolete', '') AS kind FROM system.settings ORDER BY name`;

let engine: Engine;
let known: readonly (Known & { readonly kind: string })[];

beforeAll(async () => {
  engine = await openTestEngine();
  known = (await rows(engine, statement(KNOWN))) as typeof known; // as the statement selects them
});
afterAll(() => engine.close(0));

/** As in TSV. */
const escaped = (value: string): string =>
  value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll("'", String.raw`\'`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll('\n', String.raw`\n`);

interface Known {
  readonly name: string;
  readonly value: string;
}

/** What is to be decided before the release of `engineSettings` is used, a line each. */
function toDecide(engineSettings: readonly Known[], table: readonly Row[]): readonly string[] {
  const actual = new Map(engineSettings.map(({ name, value }) => [name, escaped(value)]));
  const names = new Set(table.map(([name]) => name));
  const added = [...actual].filter(([name]) => !names.has(name));
  return [
    ...added.map(
      ([name, value]) =>
        `new: does it keep anything between statements? state, or a group of decisions.yaml: ${name}\t${value}\t?`,
    ),
    ...table.flatMap(([name, value, group]) => {
      const now = actual.get(name);
      if (now === undefined) return [`removed: ${name} (${group})`];
      if (now === value) return [];
      return [`changed: does what it turns on keep anything? ${name} (${group}): ${value} is now ${now}`];
    }),
  ];
}

test('settings.tsv has every setting of the release with its default, and no other', () => {
  expect(toDecide(known, decided)).toEqual([]);
  expect(known.length).toBeGreaterThan(1700);
});

test('a new, a removed and a changed setting of a release are to be decided', () => {
  const [first, second, ...others] = known;
  const changed = { name: second?.name ?? '', value: `${second?.value} more` };
  const other = [{ name: 'use_oracle_cache', value: '1' }, changed, ...others];
  expect(toDecide(other, decided).map((line) => line.split(':')[0])).toEqual(['new', 'removed', 'changed']);
  expect(toDecide(other, decided).join()).toMatch(
    new RegExp(`use_oracle_cache\t1\t\\?.*removed: ${first?.name} .*${second?.name} .* more`, 's'),
  );
});

test('aliases and obsolete settings are those of the engine', () => {
  const wrong = known.filter(({ name, kind }) => {
    const group = groupOf.get(name) ?? '';
    return kind === '' ? ['alias', 'obsolete'].includes(group) : kind !== group;
  });
  expect(wrong).toEqual([]);
});

test('each setting is in a group, or decided by name once', () => {
  const groups = new Set([...Object.keys(decisions.groups), 'state']);
  expect(decided.filter(([, , group]) => !groups.has(group))).toEqual([]);
  expect(byName.toSorted()).toEqual(decided.filter(([, , group]) => group === 'state').map(([name]) => name));
  for (const { settings, keeps, decision } of decisions.state) {
    expect({ settings, isSaid: keeps.length > 10 && decision.length > 10 }).toEqual({
      settings,
      isSaid: true,
    });
  }
});

/** Names of what remembers; in these groups, they do so outside of the statements that consumers may send. */
const REMEMBERS = /cache|stats|statistic|adaptive|histor|count_to_|learn|warm|feedback/;
const OUTSIDE = new Set(['alias', 'obsolete', 'remote', 'writes', 'query_cache', 'state']);

test('a setting whose name says that it remembers something is decided by name', () => {
  const rest = decided.filter(([name, , group]) => REMEMBERS.test(name) && !OUTSIDE.has(group));
  expect(rest.map(([name]) => name)).toEqual([
    'output_format_write_statistics', // of the statement itself
    'per_part_index_stats', // in the log
  ]);
});

test('what is to be set is set, for the statements that the decision names', () => {
  for (const { settings, set } of decisions.state) {
    for (const name of settings) {
      const origins = {
        all: Object.hasOwn(FIXED_SETTINGS, name),
        consumers: Object.hasOwn(ISOLATION_SETTINGS, name),
      };
      expect({ name, ...origins }).toEqual({ name, all: set === 'all', consumers: set === 'consumers' });
    }
  }
  const names = known.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys({ ...FIXED_SETTINGS, ...ISOLATION_SETTINGS })));
});
