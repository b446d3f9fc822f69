// The tables for running examples: filled once from the fixtures, with an example's own rows swapped in while it runs.
import type { Finding } from '../../sql/base/finding.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import { createPositions } from '../../sql/base/position.ts';
import { EngineError, type Engine } from '../../service/engine/engine.ts';
import { engineSentence } from '../../service/engine/engine-sentence.ts';
import type { LoadedSchema } from '../schema/load-schema.ts';
import { explainOutside, outsideReadsOfScript } from '../../sql/clickhouse/outside-reads.ts';
import { readFixtures, type FixtureFiles } from './fixture-files.ts';
import { copyRows, removeRows, restoreRows } from '../../service/loading/aside.ts';
import { insertStaged, type TableColumn } from '../../service/loading/staging.ts';
import { filledBy, quoteTable, readTables, type TableSet } from '../../service/loading/tables.ts';
import { createLoading, loadRows, targetOf, type Loading, type Rows } from './rows.ts';

export interface Stage {
  /**
   * Makes each of these tables contain exactly these rows, the tables that their views fill what these make of them, and
   * every other table the rows of the fixtures. Resolves to findings about the rows.
   */
  readonly set: (rows: readonly Rows[]) => Promise<readonly Finding[]>;
}

export interface StageOptions {
  readonly engine: Engine;
  /** A temporary folder that the engine may read. */
  readonly scratch: string;
  /** The folder of fixtures. */
  readonly fixtures: string;
  /** Tables that could not be created have no rows. */
  readonly schema: Pick<LoadedSchema, 'broken'>;
  /** What statements may reach outside of the tables. */
  readonly engineSources: EngineSources;
}

/** Runs and loads the files in the folder; resolves with their findings. */
export async function openStage({
  engine,
  scratch,
  fixtures,
  schema,
  engineSources,
}: StageOptions): Promise<{ readonly stage: Stage; readonly findings: readonly Finding[] }> {
  const files = await readFixtures(fixtures);
  const findings = [...files.findings, ...(await runStatements(engine, files, engineSources))];
  const loading = createLoading({ engine, folder: scratch, tables: await readTables(engine) });
  const isBroken = ({ table }: Rows): boolean =>
    !loading.tables.targets.has(table) && schema.broken.has(table);
  for (const rows of files.rows) {
    const finding = isBroken(rows) ? undefined : await loadRows(loading, rows);
    if (finding !== undefined) findings.push(finding);
  }
  return { stage: createStage(loading, files.rows), findings };
}

async function runStatements(
  engine: Engine,
  { statements }: FixtureFiles,
  engineSources: EngineSources,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { file, text } of statements) {
    const outside = findOutside(file, text, engineSources);
    findings.push(...outside);
    if (outside.length > 0) continue;
    const failure = await engine.execute(text).then(() => undefined, failureOf);
    if (failure === undefined) continue;
    const [, line, column] = /\(line (\d{1,9}), col (\d{1,9})\)/.exec(failure.message) ?? [];
    const position = { line: Number(line ?? 0), column: Number(column ?? 0) };
    const message = engineSentence(failure.message);
    findings.push({ file, ...position, severity: 'error', code: 'fixture.rejected', message });
  }
  return findings;
}

/** A file with such a statement is not run at all. */
function findOutside(file: string, text: string, engineSources: EngineSources): readonly Finding[] {
  const positionOf = createPositions(text);
  return outsideReadsOfScript(text, engineSources).map((read) => ({
    file,
    ...positionOf(read.start),
    severity: 'error',
    code: 'fixture.reads_outside',
    ...explainOutside(read),
  }));
}

function failureOf(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  throw cause;
}

interface Plan {
  /** The rows of the call, by the table that stores them. */
  readonly own: ReadonlyMap<string, readonly Rows[]>;
  /** All tables whose rows change: those, the ones that their views fill, and other sources of these. Sources come first. */
  readonly changed: readonly string[];
}

function planOf(tables: TableSet, own: Plan['own']): Plan {
  const changed = new Set(own.keys());
  for (const table of changed) {
    for (const filled of filledBy(tables, table)) changed.add(filled);
    if (own.has(table)) continue;
    for (const [source, filled] of tables.filled) if (filled.includes(table)) changed.add(source);
  }
  const reach = (table: string): number => filledBy(tables, table).size;
  return { own, changed: [...changed].toSorted((a, b) => reach(b) - reach(a)) };
}

/** What is in a table in place of the fixtures: as text, and the table that has those meanwhile. */
interface OwnRows {
  readonly text: string;
  readonly fixtures: string;
}

function createStage(loading: Loading, fixtures: readonly Rows[]): Stage {
  const { engine, tables } = loading;
  const inPlace = new Map<string, OwnRows>();
  let count = 0;

  const restore = async (table: string, { fixtures: copy }: OwnRows): Promise<void> => {
    await restoreRows(engine, tables, { table, copy });
    await engine.execute(`DROP TABLE ${quoteTable(copy)}`);
    inPlace.delete(table);
  };
  const setAside = async (table: string, text: string): Promise<void> => {
    const copy = besides(table, ++count);
    await copyRows(engine, tables, { table, copy });
    inPlace.set(table, { text, fixtures: copy });
    await removeRows(engine, tables, table);
  };
  const fill = async (table: string, { own }: Plan): Promise<Finding | undefined> => {
    const rows = own.get(table);
    if (rows !== undefined) {
      // Rows that views have put there are not among those that the table is to have.
      const surplus = isFilled(tables, table) ? [table, ...filledBy(tables, table)] : [];
      for (const each of surplus) await removeRows(engine, tables, each);
      return loadAll(loading, rows);
    }
    const copy = inPlace.get(table)?.fixtures;
    const isSource = tables.filled.has(table) && !isFilled(tables, table);
    if (!isSource || copy === undefined) return undefined;
    if (tables.engines.get(table) === 'Null')
      return loadAll(loading, rowsOf(tables, fixtures).get(table) ?? []);
    await insertStaged(engine, { name: copy, into: table, columns: await plainColumns(loading, table) });
    return undefined;
  };
  return {
    set: async (wanted) => {
      const findings = wanted.flatMap((rows) => {
        const target = targetOf(loading, rows);
        return typeof target === 'string' ? [] : [target];
      });
      const plan = planOf(tables, rowsOf(tables, wanted));
      const texts = new Map(plan.changed.map((table) => [table, textOf(tables, plan, table)]));
      const outdated = [...inPlace].filter(([table, { text }]) => texts.get(table) !== text);
      for (const [table, rows] of outdated) await restore(table, rows);
      const fresh = plan.changed.filter((table) => !inPlace.has(table));
      for (const table of fresh) await setAside(table, texts.get(table) ?? '');
      for (const table of fresh) {
        const finding = await fill(table, plan);
        if (finding !== undefined) findings.push(finding);
      }
      if (findings.length > 0) for (const [table, rows] of inPlace) await restore(table, rows);
      if (outdated.length + fresh.length > 0 && tables.dictionaries)
        await engine.execute('SYSTEM RELOAD DICTIONARIES');
      return findings;
    },
  };
}

/** By the table that stores them: an alias and its table may both have rows. */
function rowsOf({ targets }: TableSet, wanted: readonly Rows[]): ReadonlyMap<string, readonly Rows[]> {
  const own = new Map<string, Rows[]>();
  for (const rows of wanted) {
    const stored = targets.get(rows.table);
    if (stored !== undefined) own.set(stored, [...(own.get(stored) ?? []), rows]);
  }
  return own;
}

/** What decides on the rows of a table: its own, or those of all tables that change with it. */
function textOf(tables: TableSet, { own, changed }: Plan, table: string): string {
  const isAlone = !tables.filled.has(table) && !isFilled(tables, table);
  const decisive = isAlone ? [table] : changed;
  return JSON.stringify(decisive.map((each) => [each, own.get(each)?.map(({ text }) => text)]));
}

function isFilled({ filled }: TableSet, table: string): boolean {
  return [...filled.values()].some((stored) => stored.includes(table));
}

/** Rows that were read before have states already. */
async function plainColumns({ columnsOf }: Loading, table: string): Promise<readonly TableColumn[]> {
  return (await columnsOf(table)).map((column) => ({ ...column, type: '' }));
}

async function loadAll(loading: Loading, all: readonly Rows[]): Promise<Finding | undefined> {
  for (const rows of all) {
    const finding = await loadRows(loading, rows);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/** The name of a table for rows of its own, in the same database. */
function besides(table: string, count: number): string {
  return table.replace('.', `.millrace_rows_${count}_`);
}
