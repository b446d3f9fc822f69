// Responses that are valid until their tables change, for any order of changes of real tables, reads, and time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { NO_DIRECTIVES } from '../../../src/service/cache/freshness.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { OUTDATED, readFingerprint, type TableSet } from '../../../src/service/endpoints/fingerprint.ts';
import { resolveTables } from '../../../src/service/endpoints/table-set.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { sizeOf } from '../../support/runs.ts';
import {
  asked,
  CHECK_MS,
  endpointOf,
  openCaches as open,
  play,
  stepsOf,
  TTL_S,
  type Totals,
  type World,
} from './until-data-model.ts';

const FUZZ_CASES = Number(process.env['FUZZ_CASES'] ?? 75);
const SEED = Number(process.env['FUZZ_SEED'] ?? 7);
/** Sequences of up to 40 steps on the real engine, in the first test at least two. */
const CASES = Math.max(sizeOf(1, 3), FUZZ_CASES / 100);

const SETTINGS = `SETTINGS min_parts_to_merge_at_once = 1000, enable_block_number_column = 1, enable_block_offset_column = 1`;
const table = (name: string): string =>
  `m.${name} (id UInt64, s String) ENGINE = MergeTree PARTITION BY id % 3 ORDER BY id ${SETTINGS}`;
const QUERY = 'SELECT count() AS c, sum(cityHash64(id, s)) AS h FROM m.v';

let engine: Engine;
beforeAll(async () => {
  engine = await openTestEngine();
  await engine.execute('CREATE DATABASE m');
  for (const name of ['t', 'u']) await engine.execute(`CREATE TABLE ${table(name)}`);
  await engine.execute('CREATE VIEW m.v AS SELECT * FROM m.t');
});
afterAll(() => engine.close(0));

/** A change of `m.t` or `m.u`; `n` chooses its values. */
const CHANGES: Readonly<Record<string, (n: number) => string>> = {
  insert: (n) => `INSERT INTO m.t SELECT number, 's${n}' FROM numbers(${n % 5}, 3)`,
  insertElsewhere: (n) => `INSERT INTO m.u SELECT number, 'u${n}' FROM numbers(${n % 5}, 3)`,
  update: (n) => `ALTER TABLE m.t UPDATE s = 'm${n}' WHERE id % 2 = ${n % 2} SETTINGS mutations_sync = 2`,
  delete: (n) => `ALTER TABLE m.t DELETE WHERE id = ${n % 7} SETTINGS mutations_sync = 2`,
  lightweightDelete: (n) => `DELETE FROM m.t WHERE id = ${n % 7}`,
  patch: (n) => `UPDATE m.t SET s = 'p${n}' WHERE id = ${n % 7}`,
  dropPartition: (n) => `ALTER TABLE m.t DROP PARTITION ${n % 3}`,
  detachPartition: (n) => `ALTER TABLE m.t DETACH PARTITION ${n % 3}`,
  attachPartition: (n) => `ALTER TABLE m.t ATTACH PARTITION ${n % 3}`,
  replacePartition: (n) => `ALTER TABLE m.t REPLACE PARTITION ${n % 3} FROM m.u`,
  movePartition: (n) => `ALTER TABLE m.t MOVE PARTITION ${n % 3} TO TABLE m.u`,
  merge: () => 'OPTIMIZE TABLE m.t FINAL',
  mutateLater: (n) =>
    `ALTER TABLE m.t UPDATE s = 'l${n}' WHERE id % 2 = ${n % 2} SETTINGS mutations_sync = 0`,
  dropPart: (n) => `ALTER TABLE m.t DROP PART '${n % 3}_1_1_0'`,
  addColumn: (n) => `ALTER TABLE m.t ADD COLUMN IF NOT EXISTS c${n % 2} UInt8`,
  truncate: () => 'TRUNCATE TABLE m.t',
  exchange: () => 'EXCHANGE TABLES m.t AND m.u',
  rename: () => 'RENAME TABLE m.t TO m.w, m.u TO m.t, m.w TO m.u',
  recreate: () => `CREATE OR REPLACE TABLE ${table('t')}`,
  view: (n) =>
    `CREATE OR REPLACE VIEW m.v AS SELECT * FROM m.${n % 3 === 0 ? 'u' : 't'} WHERE id != ${n % 4}`,
  alter: (n) => `ALTER TABLE m.t MODIFY COMMENT 'c${n}'`,
};
/** Most others remove rows: without more inserts, tables would be empty most of the time. */
const NAMES = [...Object.keys(CHANGES), ...Array.from({ length: 12 }, () => 'insert'), 'mutateLater'];
/** Each kind of change once, over rows. */
const EACH = Object.keys(CHANGES).flatMap((name, n) => [
  { name: 'insert', n },
  { name, n },
]);
/** What may put back a state that was there before. */
const RETURNING: ReadonlySet<string> = new Set([
  'exchange', 'rename', 'view', 'truncate', 'dropPart', 'dropPartition', 'detachPartition', 'attachPartition', 'movePartition', 'replacePartition',
]); // prettier-ignore

/** Rows with mutations that have not been made yet. */
const rowsNow = async (): Promise<string> =>
  JSON.stringify(await readRows(engine, `${QUERY} SETTINGS apply_mutations_on_fly = 1`));

const inTime = (statement: string): Promise<void> => engine.execute(statement).catch(() => undefined);

/** Statements may fail in some states, such as those about a partition that is not there. */
async function change(name: string, n: number): Promise<void> {
  const statement = CHANGES[name]?.(n) ?? 'SELECT 1';
  if (name === 'mutateLater') {
    await inTime('SYSTEM STOP MERGES m.t');
    areMergesStopped = true;
    return inTime(statement);
  }
  if (areMergesStopped) {
    await inTime('SYSTEM START MERGES m.t');
    await inTime('SYSTEM START MERGES m.u');
    // Mutations would otherwise end at any time, and with them the state that the model knows.
    const left = `SELECT count() FROM system.mutations WHERE NOT is_done AND database = 'm'`;
    await expect.poll(() => readRows(engine, left), { timeout: 60_000, interval: 25 }).toEqual([[0]]);
    areMergesStopped = false;
  }
  await inTime(statement);
}
/** All other mutations have ended when their statement ends. */
let areMergesStopped = false;

const realWorld = (): World => ({
  engine,
  tables: { resolve: resolveTables, readFingerprint },
  query: QUERY,
  rows: rowsNow,
  changes: NAMES,
  returning: RETURNING,
  change,
});

test('no response is older than a check and its run; no more runs than with a ttl of equal freshness, none at rest', async () => {
  const totals: Totals = { steps: 0, reads: 0, runs: 0, timed: 0 };
  const world = realWorld();
  await fc.assert(
    fc.asyncProperty(stepsOf(world, 40), (steps) => play(world, steps, totals)),
    { numRuns: Math.max(2, CASES), seed: SEED, endOnFailure: true }, // a shorter sequence would begin with other tables
  );
  expect(totals.runs).toBeLessThanOrEqual(totals.timed);
  report('real tables', totals);
}, 7_200_000);

test('equal fingerprints mean equal rows', async () => {
  const known = new Map<string, { readonly rows: string; readonly history: string }>();
  const resolve = async () => (await resolveTables(engine, [{ sql: QUERY, samples: [{}] }])).set;
  const read = async (set: TableSet): Promise<[string, TableSet]> => {
    const found = await readFingerprint(engine, set);
    if (found !== OUTDATED) return [found, set];
    const again = await resolve();
    return [await readFingerprint(engine, again), again];
  };
  const step = fc.record({ name: fc.constantFrom(...NAMES), n: fc.nat(99) });
  let set = await resolve();
  const history: string[] = [];
  const property = fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 40 }), async (sequence) => {
    for (const { name, n } of sequence) {
      await change(name, n);
      history.push(`${name} ${n}`);
      let fingerprint;
      [fingerprint, set] = await read(set);
      const rows = await rowsNow();
      const before = known.get(fingerprint);
      if (before === undefined) known.set(fingerprint, { rows, history: history.slice(-40).join('; ') });
      else expect({ rows, history: history.slice(-40) }).toMatchObject({ rows: before.rows });
    }
  });
  await fc.assert(property, { numRuns: CASES, seed: SEED, endOnFailure: true, examples: [[EACH]] });
  report('changes of real tables', { ...NOTHING, steps: history.length });
}, 7_200_000);

const NOTHING: Totals = { steps: 0, reads: 0, runs: 0, timed: 0 };

function report(what: string, totals: Totals): void {
  if (process.env['FUZZ_CASES'] !== undefined) process.stdout.write(`${what}: ${JSON.stringify(totals)}\n`);
}

/** A table as parts, each with a name and rows, of which a name may be used again. */
function modelWorld(): World {
  type Part = { readonly name: number; readonly rows: string };
  let tables: readonly [Part[], Part[]] = [[], []];
  let detached: Part[] = [];
  let isExchanged = false;
  let next = 0;
  const set = { tables: [{ database: 'm', name: 't' }], patterns: [], buffers: [], sharded: [], dictionaries: [], every: undefined }; // prettier-ignore
  const own = (): Part[] => tables[0];
  const pick = (n: number): Part | undefined => own()[n % Math.max(1, own().length)];
  const replace = (old: readonly Part[], now: readonly Part[]): void =>
    void own().splice(0, Infinity, ...own().filter((part) => !old.includes(part)), ...now);
  const changes: Readonly<Record<string, (n: number) => void>> = {
    insert: (n) => void own().push({ name: next++, rows: `r${n % 5}` }),
    insertElsewhere: (n) => void tables[1].push({ name: next++, rows: `r${n % 5}` }),
    mutate: (n) => {
      const part = pick(n);
      if (part !== undefined) replace([part], [{ name: next++, rows: `m${n % 5}` }]);
    },
    drop: (n) => replace(own().slice(n % 4), []),
    detach: (n) => {
      const part = pick(n);
      if (part === undefined) return;
      replace([part], []);
      detached.push(part);
    },
    attach: () => {
      own().push(...detached.map(({ rows }) => ({ name: next++, rows })));
      detached = [];
    },
    merge: () => {
      const rows = own().map((part) => part.rows).toSorted().join(); // prettier-ignore
      replace(own(), own().length === 0 ? [] : [{ name: next++, rows }]);
    },
    restart: () => void (next = Math.floor(next / 2)),
    exchange: () => {
      tables = [tables[1], tables[0]];
      isExchanged = !isExchanged;
    },
  };
  const definitions = (): readonly string[] => [isExchanged ? 'u' : 't'];
  return {
    engine,
    query: QUERY,
    tables: {
      resolve: async () => ({ set: { ...set, definitions: definitions() }, unwatched: [], clock: [] }),
      readFingerprint: async (_, known) =>
        known.definitions.join() === definitions().join()
          ? `F${own().map(({ name, rows }) => `${name}${rows.replaceAll(',', '')}`).toSorted().join('_')}`.slice(0, 64)
          : OUTDATED,
    },
    rows: async () => own().flatMap((part) => part.rows.split(',')).toSorted().join(),
    changes: [...Object.keys(changes), 'insert', 'insert', 'insert'],
    returning: new Set(['exchange', 'drop', 'detach', 'attach', 'restart']),
    change: async (name, n) => changes[name]?.(n),
  }; // prettier-ignore
}

test('the same in a model of tables, for many more steps', async () => {
  const totals: Totals = { steps: 0, reads: 0, runs: 0, timed: 0 };
  const steps = stepsOf(modelWorld(), 100);
  await fc.assert(
    fc.asyncProperty(steps, (each) => play(modelWorld(), each, totals)),
    { numRuns: FUZZ_CASES, seed: SEED },
  );
  expect(totals.runs).toBeLessThanOrEqual(totals.timed);
  report('model of tables', totals);
}, 3_600_000);

const openCaches = (endpoint: Endpoint): ReturnType<typeof open> => open({ engine }, endpoint);

describe('one answer', () => {
  // The test before leaves any state.
  beforeAll(async () => {
    await engine.execute(`CREATE OR REPLACE TABLE ${table('t')}`);
    await engine.execute('CREATE OR REPLACE VIEW m.v AS SELECT * FROM m.t');
  });

  const outcomeOf = async (
    caches: ReturnType<typeof openCaches>,
    key = 'm.rows@1/a',
    directives = NO_DIRECTIVES,
  ) => {
    const { cache, job } = caches.watched;
    const found = await cache.read(asked(job, key, directives, rowsNow));
    return found.kind === 'answer' ? [found.outcome.kind, found.outcome.data, found.outcome.ttl] : found.kind;
  };

  test('says why it was valid, and lasts for `check`', async () => {
    const caches = openCaches(endpointOf(QUERY));
    expect(await outcomeOf(caches)).toEqual(['stored', undefined, 2]);
    expect(await outcomeOf(caches)).toEqual(['hit', 'unchanged', 2]);
    caches.pass(1500);
    expect(await outcomeOf(caches)).toEqual(['hit', 'unchanged', 0]);
    caches.pass(1500);
    expect(await outcomeOf(caches)).toEqual(['hit', 'unchanged', 2]);
    caches.pass(2500);
    await change('insert', 1);
    expect(await outcomeOf(caches)).toEqual(['stored', 'changed', 2]);
    caches.pass(TTL_S * 1000);
    expect(await outcomeOf(caches)).toEqual(['stored', undefined, 2]);
    expect(caches.checks.failed).toBe(0);
  });

  test('a repeated request is answered without a wait while the last check is young, and checks otherwise', async () => {
    const caches = openCaches(endpointOf(QUERY));
    const { cache, job } = caches.watched;
    const one = asked(job, 'm.rows@1/b', NO_DIRECTIVES, rowsNow);
    await cache.read(one);
    expect(cache.peek(one)).toMatchObject({ kind: 'answer' });
    caches.pass(CHECK_MS);
    expect(cache.peek(one)).toBeInstanceOf(Promise);
    expect(await cache.peek(one)).toMatchObject({ outcome: { kind: 'hit', data: 'unchanged' } });
    caches.pass(CHECK_MS);
    await change('insert', 2);
    expect(await cache.peek(one)).toBeUndefined();
  });

  test('of a run during which the data changed is not valid when that change is undone', async () => {
    const caches = openCaches(endpointOf(QUERY));
    const { cache, job } = caches.watched;
    const before = await rowsNow();
    const during = async (): Promise<string> => {
      await engine.execute(`INSERT INTO m.t SELECT 4, 'during'`);
      caches.pass(5);
      return rowsNow();
    };
    await cache.read(asked(job, 'm.rows@1/d', NO_DIRECTIVES, during));
    const name = `SELECT name FROM system.parts WHERE active AND database = 'm' AND table = 't' ORDER BY max_block_number DESC LIMIT 1`;
    const [[part]] = (await readRows(engine, name)) as [[string]]; // one row of one string
    await engine.execute(`ALTER TABLE m.t DROP PART '${part}'`);
    expect(await rowsNow()).toBe(before);
    caches.pass(CHECK_MS);
    expect(await outcomeOf(caches, 'm.rows@1/d')).toEqual(['stored', 'changed', 2]);
  });

  test('many requests at once make one check, and entries of one table set share it', async () => {
    const caches = openCaches(endpointOf(QUERY));
    const keys = Array.from({ length: 20 }, (_, at) => `m.rows@1/${at}`);
    await Promise.all(keys.map((key) => outcomeOf(caches, key)));
    expect(caches.checks.count).toBe(1);
    caches.pass(CHECK_MS);
    const outcomes = await Promise.all([...keys, ...keys].map((key) => outcomeOf(caches, key)));
    expect(new Set(outcomes.map(String))).toEqual(new Set(['hit,unchanged,2']));
    expect(caches.checks.count).toBe(2);
  });

  test('is valid for requests that waited for a check that took longer than `check`', async () => {
    let slow = 0;
    const slowEngine: Engine = {
      ...engine,
      run: (statement, options) => {
        if (statement.sql.includes('FROM system.parts')) caches.pass(slow);
        return engine.run(statement, options);
      },
    };
    const caches = open({ engine: slowEngine }, endpointOf(QUERY));
    expect(await outcomeOf(caches)).toEqual(['stored', undefined, 2]);
    caches.pass(CHECK_MS);
    slow = 2 * CHECK_MS;
    expect(await outcomeOf(caches)).toEqual(['hit', 'unchanged', -2]);
    expect((await caches.watched.cache.refresh(asked(caches.watched.job, 'm.rows@1/a', NO_DIRECTIVES, rowsNow), 1))).toMatchObject({ ran: false, isUnchanged: true }); // prettier-ignore
    await change('insert', 3);
    expect((await outcomeOf(caches))[0]).toBe('stored');
  });

  test('of tables that cannot be watched is valid for `check`', async () => {
    await engine.execute('CREATE TABLE IF NOT EXISTS m.memory (id UInt64) ENGINE = Memory');
    const caches = openCaches(endpointOf('SELECT * FROM m.memory'));
    expect(await outcomeOf(caches)).toEqual(['stored', undefined, 2]);
    expect(await outcomeOf(caches)).toEqual(['hit', 'unwatched', 2]);
    caches.pass(CHECK_MS);
    expect(await outcomeOf(caches)).toEqual(['stored', 'unwatched', 2]);
    expect(caches.checks.count).toBe(0);
  });

  test('is refreshed by warming only if the data has changed', async () => {
    const caches = openCaches(endpointOf(QUERY));
    const { cache, job } = caches.watched;
    const one = asked(job, 'm.rows@1/w', NO_DIRECTIVES, rowsNow);
    expect(await cache.refresh(one, 5000)).toMatchObject({ ran: true, isUnchanged: false });
    caches.pass(10_000);
    expect(await cache.refresh(one, 5000)).toMatchObject({ ran: false, isUnchanged: true });
    await change('insert', 3);
    caches.pass(10_000);
    expect(await cache.refresh(one, 5000)).toMatchObject({ ran: true, isUnchanged: false });
  });
});
