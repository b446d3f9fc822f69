// The tables for running examples: filled once from the fixtures, with an example's own rows swapped in while it runs.
import type { Finding } from '../../core/finding.ts';
import { EngineError, type Engine } from '../../engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { readFixtures, type FixtureFiles } from './fixture-files.ts';
import {
  engineSentence,
  listTables,
  loadRows,
  quoteTable,
  unknownTable,
  type Loading,
  type Rows,
} from './rows.ts';

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
}

/** Runs and loads the files in the folder; resolves with their findings. */
export async function openStage({
  engine,
  scratch,
  fixtures,
  schema,
}: StageOptions): Promise<{ readonly stage: Stage; readonly findings: readonly Finding[] }> {
  const files = await readFixtures(fixtures);
  const findings = [...files.findings, ...(await runStatements(engine, files))];
  const loading = { engine, folder: scratch, tables: await listTables(engine) };
  const isBroken = ({ table }: Rows): boolean => !loading.tables.has(table) && schema.broken.has(table);
  for (const rows of files.rows) {
    const finding = isBroken(rows) ? undefined : await loadRows(loading, rows);
    if (finding !== undefined) findings.push(finding);
  }
  return { stage: createStage(loading), findings };
}

async function runStatements(engine: Engine, { statements }: FixtureFiles): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { file, text } of statements) {
    const failure = await engine.execute(text).then(() => undefined, failureOf);
    if (failure === undefined) continue;
    const [, line, column] = /\(line (\d{1,9}), col (\d{1,9})\)/.exec(failure.message) ?? [];
    const position = { line: Number(line ?? 0), column: Number(column ?? 0) };
    const message = engineSentence(failure.message);
    findings.push({ file, ...position, severity: 'error', code: 'fixture.rejected', message });
  }
  return findings;
}

function failureOf(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  throw cause;
}

function createStage(loading: Loading): Stage {
  const { engine, tables } = loading;
  const inPlace = new Map<string, string>(); // table name to the text of the rows that are swapped in
  const swap = (table: string): Promise<void> =>
    engine.execute(`EXCHANGE TABLES ${quoteTable(table)} AND ${quoteTable(asideOf(table))}`);

  const restore = async (table: string): Promise<void> => {
    if (!inPlace.delete(table)) return;
    await swap(table);
    await drop(engine, table);
  };
  const put = async (rows: Rows, table: string): Promise<Finding | undefined> => {
    const { text } = rows;
    try {
      await engine.execute(`CREATE OR REPLACE TABLE ${quoteTable(asideOf(table))} AS ${quoteTable(table)}`);
      const finding = await loadRows(loading, rows, asideOf(table));
      if (finding === undefined) {
        await swap(table);
        inPlace.set(table, text);
        return undefined;
      }
      await drop(engine, table);
      return finding;
    } catch (cause) {
      const message = `cannot load rows into ${table}: ${engineSentence(failureOf(cause).message)}`;
      return { file: rows.file, ...rows.locate(0), severity: 'error', code: 'fixture.rejected', message };
    }
  };
  return {
    set: async (wanted) => {
      const texts = new Map(wanted.map(({ table, text }) => [tables.get(table), text]));
      for (const [table, text] of inPlace) if (texts.get(table) !== text) await restore(table);
      const findings: Finding[] = [];
      for (const rows of wanted) {
        const table = tables.get(rows.table);
        const finding =
          table === undefined
            ? unknownTable(rows, tables)
            : inPlace.has(table)
              ? undefined
              : await put(rows, table);
        if (finding !== undefined) findings.push(finding);
      }
      return findings;
    },
  };
}

function drop(engine: Engine, table: string): Promise<void> {
  return engine.execute(`DROP TABLE IF EXISTS ${quoteTable(asideOf(table))} SYNC`);
}

/**
 * The table that holds the fixture rows while an example's own rows are swapped in. In the same database, since
 * EXCHANGE TABLES needs that.
 */
function asideOf(table: string): string {
  return table.replace('.', '.millrace_aside_');
}
