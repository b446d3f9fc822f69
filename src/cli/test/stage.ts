// The tables for running examples: filled once from the fixtures, with an example's own rows swapped in while it runs.
import type { Finding } from '../../core/finding.ts';
import type { EngineSources } from '../../sql/outside-sources.ts';
import { createPositions } from '../../core/position.ts';
import { EngineError, type Engine } from '../../engine/engine.ts';
import { engineSentence } from '../../engine/engine-sentence.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { explainOutside, outsideReadsOfScript } from '../../sql/outside-reads.ts';
import { readFixtures, type FixtureFiles } from './fixture-files.ts';
import { listTables, loadRows, quoteTable, unknownTable, type Loading, type Rows } from './rows.ts';

export interface Stage {
  /**
   * Makes each of these tables contain exactly these rows, and every other table the rows of the fixtures. Resolves to
   * findings about the rows.
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
  const loading = { engine, folder: scratch, ...(await listTables(engine)) };
  const isBroken = ({ table }: Rows): boolean => !loading.tables.has(table) && schema.broken.has(table);
  for (const rows of files.rows) {
    const finding = isBroken(rows) ? undefined : await loadRows(loading, rows);
    if (finding !== undefined) findings.push(finding);
  }
  return { stage: createStage(loading), findings };
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

function createStage(loading: Loading): Stage {
  const { engine, tables, dictionaries } = loading;
  const inPlace = new Map<string, OwnRows>();
  let count = 0;

  const restore = async (table: string): Promise<void> => {
    const own = inPlace.get(table);
    if (own === undefined) return;
    inPlace.delete(table);
    await swap(engine, table, { other: own.fixtures, isDropped: true });
  };
  const put = async (rows: Rows, table: string): Promise<Finding | undefined> => {
    const other = besides(table, ++count);
    const before = inPlace.get(table);
    const finding = await loadRows(loading, rows, { into: other, like: table });
    if (finding !== undefined) {
      await engine.execute(`DROP TABLE IF EXISTS ${quoteTable(other)}`);
      return finding;
    }
    await swap(engine, table, { other, isDropped: before !== undefined });
    inPlace.set(table, { text: rows.text, fixtures: before?.fixtures ?? other });
    return undefined;
  };
  return {
    set: async (wanted) => {
      const findings: Finding[] = [];
      const own = new Set(wanted.map(({ table }) => tables.get(table)));
      const outdated = [...inPlace.keys()].filter((table) => !own.has(table));
      for (const table of outdated) await restore(table);
      let isChanged = outdated.length > 0;
      for (const rows of wanted) {
        const table = tables.get(rows.table);
        if (table !== undefined && inPlace.get(table)?.text === rows.text) continue;
        isChanged = true;
        const finding = table === undefined ? unknownTable(rows, tables) : await put(rows, table);
        if (finding !== undefined) findings.push(finding);
      }
      if (isChanged && dictionaries) await engine.execute('SYSTEM RELOAD DICTIONARIES');
      return findings;
    },
  };
}

/** The rows of an example that are in a table: as text, and the table that has the fixtures meanwhile. */
interface OwnRows {
  readonly text: string;
  readonly fixtures: string;
}

/** Exchanges two tables, and drops the other if its rows are no longer needed: later, since waiting for it takes time. */
function swap(
  engine: Engine,
  table: string,
  { other, isDropped }: { readonly other: string; readonly isDropped: boolean },
): Promise<void> {
  const drop = isDropped ? `; DROP TABLE ${quoteTable(other)}` : '';
  return engine.execute(`EXCHANGE TABLES ${quoteTable(table)} AND ${quoteTable(other)}${drop}`);
}

/** The name of a table for rows of its own. In the same database, since EXCHANGE TABLES needs that. */
function besides(table: string, count: number): string {
  return table.replace('.', `.millrace_rows_${count}_`);
}
