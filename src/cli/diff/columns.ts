// Describes the columns of endpoints at both revisions, on the embedded engine with the tables of each revision.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createDescribe } from '../../catalog/describe.ts';
import type { Endpoint } from '../../catalog/endpoint.ts';
import type { Settings } from '../../config/settings.ts';
import { plainComparison, type ColumnsByEndpoint, type Comparison } from '../../compatibility/compare.ts';
import type { Contracts, EndpointColumns } from '../../compatibility/contract.ts';
import type { Engine } from '../../engine/engine.ts';
import { CommandError } from '../command-error.ts';
import { withSchemaEngine } from '../schema-engine.ts';
import type { OpenEngine } from '../dependencies.ts';
import type { FolderFile } from './folders.ts';

/** The endpoints of one revision, and the *.sql files that create its tables; undefined if it has no such folder. */
export interface Described {
  readonly label: string;
  readonly contracts: Contracts;
  readonly tables: readonly FolderFile[] | undefined;
}

export interface ColumnDeps {
  readonly settings: Settings;
  readonly openEngine: OpenEngine;
  /** The folder of tables, as named in messages. */
  readonly folder: string;
}

/** Undefined: unknown. */
export interface ReportedColumns {
  readonly before?: ColumnsByEndpoint;
  readonly after?: ColumnsByEndpoint;
  /** Notes on what was not compared. */
  readonly notes: readonly string[];
  /** Changes of the tables themselves. */
  readonly comparisons: readonly Comparison[];
}

/** Describes only endpoints whose file or tables differ. */
export async function reportColumns(
  base: Described,
  head: Described,
  deps: ColumnDeps,
): Promise<ReportedColumns> {
  const [before, after] = [base.tables ?? head.tables, head.tables ?? base.tables];
  if (before === undefined || after === undefined) {
    return withNotes([`Columns are not compared: no tables in ${deps.folder} (see --schema)`]);
  }
  const notes = [base, head]
    .filter(({ tables }) => tables === undefined)
    .map(
      ({ label }) =>
        `${label} has no ${deps.folder}: its queries are analysed with the tables of the other revision`,
    );
  const isSame = JSON.stringify(before.map(fingerprint)) === JSON.stringify(after.map(fingerprint));
  const [old, now] = [changed(base, isSame ? head : undefined), changed(head, isSame ? base : undefined)];
  if (old.length === 0 || now.length === 0) return withNotes(notes);
  try {
    if (isSame) {
      const [first, second] = await withTables(before, deps, (engine) => describeBoth(engine, old, now));
      return { ...withNotes(notes), before: first, after: second };
    }
    const first = await withTables(before, deps, (engine) => describeAll(engine, old));
    const second = await withTables(after, deps, (engine) => describeAll(engine, now)).catch(rejectionOf);
    if (second instanceof CommandError)
      return { ...withNotes(notes), comparisons: [rejected(after, second)] };
    return { ...withNotes(notes), before: first, after: second };
  } catch (error) {
    const { message } = rejectionOf(error);
    return withNotes([...notes, `Columns are not compared at ${base.label}: ${message}`]);
  }
}

function withNotes(notes: readonly string[]): ReportedColumns {
  return { notes, comparisons: [] };
}

function fingerprint({ path, content }: FolderFile): unknown {
  return [basename(path), content];
}

function rejectionOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  throw error;
}

function rejected(tables: readonly FolderFile[], { message }: CommandError): Comparison {
  return plainComparison('', { code: 'tables.rejected', message, file: tables[0]?.path ?? '', line: 1 });
}

/** Endpoints of files whose text does not occur on the other side. */
function changed({ contracts }: Described, other: Described | undefined): readonly Endpoint[] {
  const texts = new Set(other?.contracts.served.map(({ analysis }) => analysis.document.text));
  return contracts.served
    .filter(({ analysis }) => !texts.has(analysis.document.text))
    .map(({ endpoint }) => endpoint);
}

/** Rejects with CommandError if the tables cannot be created. */
async function withTables<T>(
  tables: readonly FolderFile[],
  { settings, openEngine, folder }: ColumnDeps,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const schema = await mkdtemp(join(tmpdir(), 'millrace-tables-'));
  try {
    for (const { path, content } of tables) {
      if ('unreadable' in content) throw new CommandError(`Cannot read ${path}: ${content.unreadable}`);
      await writeFile(join(schema, basename(path)), content.text);
    }
    return await withSchemaEngine({ settings, schema, openEngine }, use);
  } catch (error) {
    const { message } = rejectionOf(error);
    throw new CommandError(message.replaceAll(schema, folder), { cause: error });
  } finally {
    await rm(schema, { recursive: true, force: true });
  }
}

async function describeBoth(
  engine: Engine,
  old: readonly Endpoint[],
  now: readonly Endpoint[],
): Promise<readonly [ColumnsByEndpoint, ColumnsByEndpoint]> {
  return [await describeAll(engine, old), await describeAll(engine, now)];
}

/** Seconds for analysing one query, independent of the endpoint's time limit. */
const DESCRIBE_TIME = 10;

async function describeAll(engine: Engine, endpoints: readonly Endpoint[]): Promise<ColumnsByEndpoint> {
  const describe = createDescribe(engine);
  const all = new Map<Endpoint, EndpointColumns>();
  for (const endpoint of endpoints) {
    const limited = { ...endpoint, limits: { ...endpoint.limits, time: DESCRIBE_TIME } };
    const result = await describe.result(limited);
    const tables = result && (await describe.tables(limited));
    if (result !== undefined && tables !== undefined) all.set(endpoint, { result, tables });
  }
  return all;
}
