// The scanner against the engine, on mutants of the corpus: queries that the scanner accepts must read only allowed tables,
// both by the engine's parse tree and, for the assembled statement, by its analysis.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '../../../src/sql/base/problem.ts';
import type { Sandbox, Verdict } from '../../../src/guard/sandbox/sandbox.ts';
import { parseQueryTree } from '../../../src/guard/sandbox/query-tree/tree.ts';
import type { TreeLine } from '../../../src/sql/clickhouse/query-tree.ts';
import { acceptsStates } from '../../../src/guard/sandbox/scan/states.ts';
import { stringArgument } from '../../../src/guard/sandbox/string-arguments.ts';
import { codeOf, openSandbox, openWorld } from './fixture.ts';
import type { World } from './fixture.ts';
import { mutants } from './mutants.ts';
import { HONEST_STRINGS, STRING_ATTACKS } from './string-attacks.ts';

const CASES = Math.max(2500, Number(process.env['FUZZ_CASES'] ?? 0));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

/** One in so many of the accepted texts is analysed whole. */
const ANALYSED = 12;

let world: World;
let scanner: Sandbox;
let whole: Sandbox;

beforeAll(async () => {
  world = await openWorld();
  scanner = openSandbox();
  whole = openSandbox({ explain: world.explain });
});
afterAll(() => world.oracle.close());

test(
  `accepts nothing that the engine parses differently, in ${CASES} mutants`,
  { timeout: 3_600_000 },
  async () => {
    const wider: string[] = [];
    let accepted = 0;
    let analysed = 0;
    for (const sql of mutants(CASES, SEED)) {
      if ((await outcome(scanner, sql)) instanceof Problem) continue;
      accepted++;
      const second = await outcome(whole, sql);
      if (second instanceof Problem) {
        // The engine may reject more than the scanner: its syntax, not its tables.
        if (second.code !== 'sandbox.syntax_unsupported')
          wider.push(`${second.code} ${second.message}: ${sql}`);
        continue;
      }
      if (accepted % ANALYSED !== 0) continue;
      analysed++;
      wider.push(...(await foreignTables(second)).map((table) => `reads ${table}: ${sql}`));
    }
    expect(wider).toEqual([]);
    // Mutants that are all rejected would prove nothing.
    expect(accepted).toBeGreaterThan(CASES / 20);
    expect(analysed).toBeGreaterThan(CASES / 200);
  },
);

test(
  `accepts no type, function or state that is not allowed, in ${CASES / 4} mutants of strings`,
  { timeout: 3_600_000 },
  async () => {
    const wrong: string[] = [];
    let accepted = 0;
    let withStates = 0;
    const hostile = STRING_ATTACKS.map(({ sql }) => sql.replace('«', ''));
    for (const sql of mutants(CASES / 4, SEED, { benign: HONEST_STRINGS, hostile })) {
      if ((await outcome(scanner, sql)) instanceof Problem) continue;
      accepted++;
      const second = await outcome(whole, sql);
      if (second instanceof Problem) {
        if (second.code !== 'sandbox.syntax_unsupported')
          wrong.push(`${second.code} ${second.message}: ${sql}`);
        continue;
      }
      const tree = await resolved(second);
      if (tree === undefined) continue;
      if (/\bresult_type: [^\n]*AggregateFunction\(/.test(tree)) withStates++;
      wrong.push(...strayStates(tree).map((stray) => `${stray}: ${sql}`));
    }
    expect(wrong).toEqual([]);
    expect(accepted).toBeGreaterThan(CASES / 250);
    expect(withStates).toBeGreaterThan(CASES / 20_000);
  },
);

/** The engine's tree of the whole statement; undefined where it makes no sense to the engine. */
async function resolved(verdict: Verdict): Promise<string | undefined> {
  const { sql } = whole.assemble(verdict, 10);
  return world.run(`EXPLAIN QUERY TREE ${sql}`, { format: 'TSVRaw' }).catch(() => undefined);
}

/** Functions that get a state and do not take any, and those that read the type of one. */
function strayStates(tree: string): string[] {
  const parsed = parseQueryTree(tree);
  if ('violation' in parsed) return [];
  return nodesOf(parsed.root).flatMap((node) => {
    const list = node.children.find(({ kind }) => kind === 'ARGUMENTS')?.children[0]?.children ?? [];
    const name = node.kind === 'FUNCTION' ? (/function_name: (\w+)/.exec(node.attributes)?.[1] ?? '') : '';
    if (name !== '' && !acceptsStates(name) && list.some(isState)) return [`${name} gets a state`];
    const isReader = stringArgument(name)?.names === 'type';
    const named = list.filter(
      ({ attributes }) => isReader && /_value: '.*AggregateFunction/s.test(attributes),
    );
    return named.map(({ attributes }) => `${name} reads ${attributes}`);
  });
}

function nodesOf(node: TreeLine): TreeLine[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

function isState({ kind, attributes }: TreeLine): boolean {
  return (
    ['FUNCTION', 'COLUMN', 'CONSTANT'].includes(kind) && /(?<!Simple)AggregateFunction\(/.test(attributes)
  );
}

async function outcome(sandbox: Sandbox, sql: string): Promise<Verdict | Problem> {
  try {
    return await sandbox.check(sql);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Tables and table functions of the statement, as the engine resolves them, that are not the endpoint's views. */
async function foreignTables(verdict: Verdict): Promise<string[]> {
  const { sql } = whole.assemble(verdict, 10);
  try {
    const tree = await world.run(`EXPLAIN QUERY TREE ${sql}`, { format: 'TSVRaw' });
    const tables = Array.from(
      tree.matchAll(/^ *(TABLE|TABLE_FUNCTION) id: \d+.*_name: (\S+)$/gm),
      ([, , name]) => name ?? '',
    );
    return tables.filter((name) => name !== 'view' && name !== 'system.one');
  } catch (error) {
    // Most mutants make no sense to the engine; one that names an unknown table has got past the scanner.
    return codeOf(error) === 60 ? [String(error)] : [];
  }
}
