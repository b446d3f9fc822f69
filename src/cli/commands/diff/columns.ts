// Describes the columns of endpoints at both revisions and analyses their queries, on the embedded engine with the tables of each revision.
import { pairUp } from '../../compare/pairing.ts';
import { comparedVariants, variantContracts } from '../../compare/variants.ts';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { readDefinitions } from '../../../service/endpoints/definitions.ts';
import { createDescribe } from '../../../service/endpoints/describe.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { keysFor, readExposure, type ListedExposure } from '../../compare/exposure.ts';
import { modelsOf } from '../../../service/endpoints/query-models.ts';
import { tenancyOf } from '../../../service/endpoints/tenancy.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { plainComparison, type EndpointComparison } from '../../compare/compare.ts';
import type { Side } from '../../compare/compare-pair.ts';
import type { Contract, Contracts, EndpointColumns } from '../../compare/contract.ts';
import type { EndpointModels } from '../../compare/query-changes.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import { rememberStatements } from '../analysis/remember.ts';
import { mapAtOnce } from '../../kit/at-once.ts';
import { readKeys } from '../exposure/exposure.ts';
import { CommandError } from '../../kit/command-error.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import { noTables, noteSchema, type SchemaChoice } from '../../kit/schema-options.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
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
  /** Where the tables are, as named in messages. */
  readonly schema: SchemaChoice;
  readonly terminal: Terminal;
}

/** What the engine reports about the queries of one revision. */
export type DescribedQueries = Pick<Side, 'columns' | 'models' | 'exposures' | 'definitions'>;

/** Undefined: unknown. */
export interface ReportedColumns {
  readonly before?: DescribedQueries;
  readonly after?: DescribedQueries;
  /** Notes on what was not compared. */
  readonly notes: readonly string[];
  /** Changes of the tables themselves. */
  readonly comparisons: readonly EndpointComparison[];
  /** Why columns that may differ were not compared. */
  readonly failure?: CommandError;
}

/** Describes only endpoints whose file or tables differ: without any, the tables are not needed. */
export async function reportColumns(
  base: Described,
  head: Described,
  deps: ColumnDeps,
): Promise<ReportedColumns> {
  const [before, after] = [base.tables ?? head.tables, head.tables ?? base.tables];
  const isSame = haveSameTables(base, head);
  const known = new Set(base.contracts.served.flatMap(({ endpoint: { id, name } }) => [id, name]));
  const keys = await readKeys(deps.settings.tokens);
  const pairs = pairUp(base.contracts, head.contracts).filter((each) => each.kind === 'both');
  const wanted = (contract: Contract): Wanted => {
    const { id, name } = contract.endpoint;
    const pair = pairs.find(({ old, now }) => old === contract || now === contract);
    const variants =
      pair === undefined
        ? variantContracts(contract)
        : comparedVariants(pair.old, pair.now)[pair.old === contract ? 0 : 1];
    return { contract, variants, isNew: !known.has(id) && !known.has(name), keys };
  };
  const old = changed(base, isSame ? head : undefined).map(wanted);
  const now = changed(head, isSame ? base : undefined).map(wanted);
  const hasNew = now.some(({ isNew }) => isNew);
  if (now.length === 0 || (old.length === 0 && !hasNew)) return withNotes([]);
  if (before === undefined || after === undefined)
    return old.length === 0
      ? withNotes(['What new endpoints expose is not known: there are no definitions of tables'])
      : withoutTables(old, now, deps);
  const notes = [base, head]
    .filter(({ tables }) => tables === undefined)
    .map(
      ({ label }) =>
        `${label} has no ${deps.schema.path}: its queries are analysed with the tables of the other revision`,
    );
  try {
    if (isSame) {
      const [first, second] = await withTables(before, deps, (engine) => describeBoth(engine, [old, now]));
      return { ...withNotes(notes), before: first, after: second };
    }
    const first = await withTables(before, deps, (engine, tables) => describeWith(engine, old, tables));
    const second = await withTables(after, deps, (engine, tables) => describeWith(engine, now, tables));
    const comparisons = newlyBroken(first.broken, second.broken);
    return { ...withNotes(notes), comparisons, before: first.queries, after: second.queries };
  } catch (error) {
    const { message } = rejectionOf(error);
    return withFailure(
      new CommandError(`The columns were not compared: ${message}; pass --no-engine to go without`, {
        exitCode: 2,
        cause: error,
      }),
    );
  }
}

type Tables = Pick<Described, 'tables'>;

/** Whether the endpoints of both revisions are analysed with the same tables. */
export function haveSameTables(base: Tables, head: Tables): boolean {
  const [before, after] = [base.tables ?? head.tables, head.tables ?? base.tables];
  return JSON.stringify(before) === JSON.stringify(after);
}

function withNotes(notes: readonly string[]): ReportedColumns {
  return { notes, comparisons: [] };
}

/** Queries that read no tables need none. */
async function withoutTables(
  old: readonly Wanted[],
  now: readonly Wanted[],
  deps: ColumnDeps,
): Promise<ReportedColumns> {
  const [before, after] = await withTables([], deps, (engine) => describeBoth(engine, [old, now]));
  const isComplete = before.columns?.size === old.length && after.columns?.size === now.length;
  if (!isComplete) return withFailure(noTables(deps.settings, 'The columns were not compared'));
  return { ...withNotes([]), before, after };
}

function withFailure(failure: CommandError): ReportedColumns {
  return { notes: [], comparisons: [], failure };
}

function rejectionOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  throw error;
}

/** Tables that could be created before. */
function newlyBroken(
  before: LoadedSchema['broken'],
  after: LoadedSchema['broken'],
): readonly EndpointComparison[] {
  return [...after]
    .filter(([name]) => !before.has(name))
    .map(([, { message, file, line }]) =>
      plainComparison('', { code: 'tables.rejected', message, file, line }),
    );
}

/** Endpoints of files whose text does not occur on the other side. */
function changed({ contracts }: Described, other: Described | undefined): readonly Contract[] {
  const texts = new Set(other?.contracts.served.map(({ analysis }) => analysis.document.wholeText));
  return contracts.served.filter(({ analysis }) => !texts.has(analysis.document.wholeText));
}

/** An endpoint to be described; what it exposes, too, if it is new. */
interface Wanted {
  readonly contract: Contract;
  /** The variants that `diff` compares with those of the other revision. */
  readonly variants: readonly Contract[];
  /** No endpoint of the base revision has its id or its name. */
  readonly isNew: boolean;
  /** Of the tokens file, if there is one. */
  readonly keys: readonly Token[] | undefined;
}

/** Rejects with CommandError if the tables cannot be read. */
async function withTables<T>(
  tables: readonly FolderFile[],
  { settings, openEngine, schema, terminal }: ColumnDeps,
  use: (engine: Engine, broken: LoadedSchema['broken']) => Promise<T>,
): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), 'millrace-tables-'));
  const shown = (finding: Finding): Finding => ({ ...finding, file: relative(path, finding.file) });
  try {
    for (const { path: file, content } of tables) {
      if ('unreadable' in content) throw new CommandError(`Cannot read ${file}: ${content.unreadable}`);
      const copy = join(
        path,
        file
          .split('/')
          .filter((part) => part !== '..')
          .join('/'),
      );
      await mkdir(dirname(copy), { recursive: true });
      await writeFile(copy, content.text);
    }
    return await withSchemaEngine(
      { settings, schema: { ...schema, path }, openEngine },
      (engine, _, loaded) => {
        noteSchema({ ...loaded, findings: loaded.findings.map(shown) }, terminal);
        return use(
          rememberStatements(engine),
          new Map([...loaded.broken].map(([name, finding]) => [name, shown(finding)])),
        );
      },
    );
  } catch (error) {
    const { message } = rejectionOf(error);
    throw new CommandError(message.replaceAll(`${path}/`, ''), { cause: error });
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

interface DescribedTables {
  readonly queries: DescribedQueries;
  readonly broken: LoadedSchema['broken'];
}

async function describeWith(
  engine: Engine,
  wanted: readonly Wanted[],
  broken: LoadedSchema['broken'],
): Promise<DescribedTables> {
  const definitions = await readDefinitions(engine);
  return { queries: { ...(await describeAll(engine, wanted)), definitions }, broken };
}

async function describeBoth(
  engine: Engine,
  [old, now]: readonly [readonly Wanted[], readonly Wanted[]],
): Promise<readonly [DescribedQueries, DescribedQueries]> {
  return [await describeAll(engine, old), await describeAll(engine, now)];
}

/** Seconds for analysing one query, independent of the endpoint's time limit. */
const DESCRIBE_TIME = 10;

async function describeAll(engine: Engine, wanted: readonly Wanted[]): Promise<DescribedQueries> {
  const describe = createDescribe(engine);
  const columns = new Map<Endpoint, EndpointColumns>();
  const models = new Map<Endpoint, EndpointModels>();
  const exposures = new Map<Endpoint, ListedExposure>();
  await mapAtOnce(wanted, async ({ contract, isNew, keys }) => {
    if (!isNew) return;
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
    const isShared = tenancyOf(analysis.file, tenancy?.setting)?.isShared;
    const options = isShared === undefined ? {} : { isShared };
    const found = await modelsOf(engine, { analysis, candidate: { endpoint } }, options);
    models.set(endpoint, new Map(found.map(({ query, result: model }) => [query.table, model])));
  });
  return { columns, models, exposures };
}
