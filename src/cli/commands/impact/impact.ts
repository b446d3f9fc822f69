// `millrace impact`: which consumer queries a change of endpoint files breaks.
import { existsSync } from 'node:fs';
import { changedEndpoints } from '../../compare/consumers/changed-endpoint.ts';
import { createJudge, type QueryImpact } from '../../compare/consumers/impact.ts';
import { rememberStatements } from '../analysis/remember.ts';
import { mapAtOnce } from '../../kit/at-once.ts';
import { CommandError } from '../../kit/command-error.ts';
import { readQueries, type ConsumerQuery } from '../../kit/consumer-queries.ts';
import { readRevisions, type ComparedRevisions } from '../diff/read-revisions.ts';
import type { RevisionDeps, RevisionOptions } from '../diff/describe-revisions.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import { createForeignReader } from './foreign-reader.ts';
import { countImpact, sortImpacts, type PrintImpact } from './report.ts';

/** The folder of the queries of consumers, beside the endpoint files. */
export const CONSUMERS_FOLDER = 'consumers';

export interface QuerySources {
  /** Folders and files; none: the default folder. */
  readonly paths: readonly string[];
  /** Of queries that name none. */
  readonly endpoint: string | undefined;
  readonly dialect: string | undefined;
}

export interface ImpactOptions extends RevisionOptions {
  readonly queries: QuerySources;
  readonly print: PrintImpact;
}

/** Prints the queries; resolves to 1 if one breaks, otherwise 0. Rejects with CommandError. */
export async function impact(options: ImpactOptions, deps: RevisionDeps): Promise<0 | 1> {
  const queries = await readConsumers(options.queries);
  const revisions = await readRevisions(options, deps, 'columns');
  await revisions.save();
  const { base, head, reported } = revisions;
  for (const note of reported.notes) deps.terminal.note(note);
  if (reported.failure !== undefined) throw withoutNoEngine(reported.failure);
  const impacts = await impactsOf(queries, revisions, { ...options, ...deps });
  await options.print({ base: base.label, head: head.label, impacts, notes: [] }, deps.terminal);
  return countImpact(impacts, 'breaks') > 0 ? 1 : 0;
}

/** The flag is one of `diff`: without columns, no query can be read. */
function withoutNoEngine(failure: CommandError): CommandError {
  const message = failure.message.replace(/(?:, or|;) pass --no-engine to go without$/, '');
  return new CommandError(message, { exitCode: failure.exitCode, cause: failure });
}

/** Rejects with CommandError if there are none, or one cannot be read. */
export async function readConsumers(sources: QuerySources): Promise<readonly ConsumerQuery[]> {
  const { paths, endpoint, dialect } = sources;
  if (paths.length === 0 && !existsSync(CONSUMERS_FOLDER)) {
    throw new CommandError(
      `There is no folder ${CONSUMERS_FOLDER}: write the queries of consumers to it, or name a folder or file with --consumers`,
      { exitCode: 2 },
    );
  }
  const queries = await readQueries(paths.length === 0 ? [CONSUMERS_FOLDER] : paths);
  return queries.map((query) => ({
    ...query,
    endpoint: query.endpoint ?? endpoint,
    dialect: query.dialect ?? (query.language === 'sql' ? dialect : undefined),
  }));
}

/** The worst first. Opens an engine without tables if endpoints changed. */
export async function impactsOf(
  queries: readonly ConsumerQuery[],
  { base, head }: Pick<ComparedRevisions, 'base' | 'head'>,
  { settings, openEngine, terminal }: Pick<ImpactOptions, 'settings'> & RevisionDeps,
): Promise<readonly QueryImpact[]> {
  const changed = changedEndpoints(base.side, head.side);
  const isEndpoint = createIsEndpoint([...base.files, ...head.files].map(({ content }) => content));
  const foreign = createForeignReader();
  try {
    return await withSchemaEngine({ settings, schema: undefined, openEngine }, async (engine) => {
      const judge = createJudge(changed, {
        engine: rememberStatements(engine),
        readForeign: foreign.read,
        isEndpoint,
      });
      let judged = 0;
      const impacts = await mapAtOnce(queries, async (query) => {
        const found = await judge(query);
        terminal.progress(`Reading consumer queries, ${++judged}/${queries.length}`);
        return found;
      });
      terminal.progress('');
      return sortImpacts(impacts);
    });
  } finally {
    await foreign.close();
  }
}

type Content = { readonly text: string } | { readonly unreadable: string };

/** Returns whether an endpoint file has that name or id. Files that are the same in both revisions are not compiled. */
function createIsEndpoint(contents: readonly Content[]): (name: string) => boolean {
  const known = new Set(
    contents.flatMap((content) => {
      if ('unreadable' in content) return [];
      return [...content.text.matchAll(/^(?:name|id): *["']?([\w.-]+)["']? *(?:#.*)?$/gm)].map(
        ([, name]) => name,
      );
    }),
  );
  return (name) => known.has(name);
}
