// Creates an endpoint file from a query in the SQL of another database system.
import type { ForeignDialect } from '../../../sql/dialects/conversion.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { knownTables } from '../../kit/schema-engine.ts';
import { checkedSettings, type SchemaFlags } from '../../kit/schema-options.ts';
import { checkWritten } from '../check-written.ts';
import { readKnownTables } from '../../kit/known-tables.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { renderFinding } from '../../kit/caret.ts';
import { convertSql } from './foreign-sql.ts';
import { newEndpoint, type NewOptions } from './new.ts';

export interface NewFlags extends SchemaFlags {
  readonly fromSql?: string;
  readonly dialect?: ForeignDialect;
  readonly endpoints?: string;
  readonly stdout?: boolean;
  readonly page?: string | true;
  readonly newVersion?: boolean;
}

interface ForeignQuery {
  readonly sql: string;
  readonly dialect: ForeignDialect;
  readonly flags: NewFlags;
  readonly options: Omit<NewOptions, 'lifted'>;
}

/**
 * The databases of tables and the types of columns come from the tables of the repository, if there are any; with them, the
 * engine analyses the query as well.
 */
export async function newFromForeign(
  { sql, dialect, flags, options }: ForeignQuery,
  deps: CommandDeps,
): Promise<void> {
  const { terminal } = deps;
  const settings = await checkedSettings(flags, deps);
  const withEngine = knownTables(flags, settings, deps);
  const file = flags.fromSql === undefined || flags.fromSql === '-' ? '<stdin>' : flags.fromSql;
  const create = async (engine?: Engine, schema?: LoadedSchema): Promise<void> => {
    const tables = engine && (await readKnownTables(engine));
    const { lifted, source, isWhole } = await convertSql({ sql, file, dialect, tables }, terminal);
    const written = await newEndpoint({ ...options, lifted, source }, terminal);
    // The notes have said what was not converted; the engine would reject only that.
    const isChecked = engine !== undefined && schema !== undefined && isWhole;
    const { tenancy, engineSources } = settings;
    const analysing = { terminal, openTestRuntime: deps.openTestRuntime, tenancy, engineSources };
    const checked = isChecked ? await checkWritten([written], { ...analysing, engine, schema }) : undefined;
    const errors = checked?.get(written.path)?.errors ?? [];
    for (const error of errors)
      for (const line of renderFinding(error, written.text, terminal)) terminal.note(line);
    if (!isWhole || errors.length > 0) deps.setExitCode(1);
  };
  await (withEngine === undefined ? create() : withEngine(create));
}
