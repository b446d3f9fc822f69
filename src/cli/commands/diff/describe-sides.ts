// Has the embedded engine describe and analyse the queries of both revisions, with the tables of each.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { readDefinitions } from '../../../service/endpoints/definitions.ts';
import { createDescribe } from '../../../service/endpoints/describe.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { modelsOf } from '../../../service/endpoints/query-models.ts';
import { tenancyOf } from '../../../service/endpoints/tenancy.ts';
import type { Settings } from '../../../service/config/settings.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { monotonic } from '../../../sql/base/clock.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Side } from '../../compare/compare-pair.ts';
import type { Contract, EndpointColumns } from '../../compare/contract.ts';
import { keysFor, readExposure, type ListedExposure } from '../../compare/exposure.ts';
import type { EndpointModels } from '../../compare/query-changes.ts';
import { mapAtOnce } from '../../kit/at-once.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { recordOfSchema, type SchemaRecord } from '../analysis/pack.ts';
import { rememberStatements } from '../analysis/remember.ts';
import { boundEngine } from '../validate/bounded-engine.ts';
import type { FolderFile } from './folders.ts';
import type { Needed } from './known-pairs.ts';

/** What the engine reports about the queries of one revision. */
export type DescribedQueries = Pick<Side, 'columns' | 'models' | 'exposures' | 'definitions'>;

export interface DescribeDeps {
  readonly settings: Settings;
  readonly openEngine: OpenEngine;
  /** Where the tables are, as named in messages. */
  readonly schema: SchemaChoice;
  readonly needed: Needed;
}

/** An endpoint to be described; what it exposes, too, if it is new. */
export interface Wanted {
  readonly contract: Contract;
  /** The variants that `diff` compares with those of the other revision. */
  readonly variants: readonly Contract[];
  /** No endpoint of the base revision has its id or its name. */
  readonly isNew: boolean;
  /** Of the tokens file, if there is one. */
  readonly keys: readonly Token[] | undefined;
}

/** Both revisions, or what was asked about them. */
export type Both<T> = readonly [before: T, after: T];

export interface DescribedSides {
  readonly queries: Both<DescribedQueries>;
  /** Of each state of the tables. */
  readonly schemas: readonly SchemaRecord[];
  /** Whether every statement had a result or was rejected, so that another run finds the same. */
  readonly isSettled: boolean;
}

type Tables = readonly FolderFile[];

/** Has one list of tables if both revisions have the same. Rejects with CommandError if they cannot be read. */
export async function describeSides(
  [before, after]: readonly [before: Tables, after?: Tables],
  [old, now]: Both<readonly Wanted[]>,
  deps: DescribeDeps,
): Promise<DescribedSides> {
  if (after === undefined) {
    const { described, schema, isSettled } = await withTables(before, deps, async (engine) => {
      const first = await describeAll(engine, old, deps.needed);
      return [first, await describeAll(engine, now, deps.needed)] as const;
    });
    return { queries: described, schemas: [schema], isSettled };
  }
  const ofSide = (tables: Tables, wanted: readonly Wanted[]): Promise<WithSchema<DescribedQueries>> =>
    withTables(tables, deps, async (engine) => {
      const definitions = await readDefinitions(engine);
      return { ...(await describeAll(engine, wanted, deps.needed)), definitions };
    });
  const [first, second] = [await ofSide(before, old), await ofSide(after, now)];
  return {
    queries: [first.described, second.described],
    schemas: [first.schema, second.schema],
    isSettled: first.isSettled && second.isSettled,
  };
}

interface WithSchema<T> extends Pick<DescribedSides, 'isSettled'> {
  readonly described: T;
  readonly schema: SchemaRecord;
}

/** The limits of a statement are its own. */
const NO_BOUNDS = { statementSeconds: Infinity, fileSeconds: Infinity };

async function withTables<T>(
  tables: Tables,
  { settings, openEngine, schema }: DescribeDeps,
  use: (engine: Engine) => Promise<T>,
): Promise<WithSchema<T>> {
  const path = await mkdtemp(join(tmpdir(), 'millrace-tables-'));
  try {
    await writeTables(path, tables);
    return await withSchemaEngine(
      { settings, schema: { ...schema, path }, openEngine },
      async (opened, _, loaded) => {
        const { engine, isSettled } = boundEngine(opened, NO_BOUNDS, monotonic);
        const described = await use(rememberStatements(engine));
        return { described, schema: recordOfSchema(shownIn(path, loaded)), isSettled: isSettled() };
      },
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(error.message.replaceAll(`${path}/`, ''), { cause: error });
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

async function writeTables(path: string, tables: Tables): Promise<void> {
  for (const { path: file, content } of tables) {
    if ('unreadable' in content) throw new CommandError(`Cannot read ${file}: ${content.unreadable}`);
    const names = file.split('/').filter((part) => part !== '..');
    const copy = join(path, names.join('/'));
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, content.text);
  }
}

/** With the names of the files in the repository. */
function shownIn(path: string, loaded: LoadedSchema): LoadedSchema {
  const shown = (finding: Finding): Finding => ({ ...finding, file: relative(path, finding.file) });
  return {
    ...loaded,
    findings: loaded.findings.map(shown),
    broken: new Map([...loaded.broken].map(([name, finding]) => [name, shown(finding)])),
  };
}

/** Seconds for analysing one query, independent of the endpoint's time limit. */
const DESCRIBE_TIME = 10;

async function describeAll(
  engine: Engine,
  wanted: readonly Wanted[],
  needed: Needed,
): Promise<DescribedQueries> {
  const describe = createDescribe(engine);
  const columns = new Map<Endpoint, EndpointColumns>();
  const models = new Map<Endpoint, EndpointModels>();
  const exposures = new Map<Endpoint, ListedExposure>();
  await mapAtOnce(wanted, async ({ contract, isNew, keys }) => {
    if (!isNew || needed === 'columns') return;
    const { endpoint, analysis, tenancy } = contract;
    const exposure = await readExposure(engine, { analysis, candidate: { endpoint } }, tenancy?.setting);
    exposures.set(endpoint, { ...exposure, keys: keys && keysFor(endpoint, keys) });
  });
  const variants = wanted.flatMap((each) => each.variants);
  await mapAtOnce(variants, async ({ endpoint, analysis, tenancy }) => {
    const limited = { ...endpoint, limits: { ...endpoint.limits, time: DESCRIBE_TIME } };
    const result = await describe.result(limited);
    const tables = result && (await describe.tables(limited));
    if (result === undefined || tables === undefined) return;
    columns.set(endpoint, { result, tables });
    if (needed === 'columns') return;
    const isShared = tenancyOf(analysis.file, tenancy?.setting)?.isShared;
    const options = isShared === undefined ? {} : { isShared };
    const found = await modelsOf(engine, { analysis, candidate: { endpoint } }, options);
    models.set(endpoint, new Map(found.map(({ query, result: model }) => [query.table, model])));
  });
  return { columns, models, exposures };
}
