// Reads the files that estimates are based on: the sizes of tables, and an earlier report, with which they are compared.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../../service/config/yaml-document.ts';
import { describeFinding } from '../../../service/observe/describe.ts';
import { readStatistics, STATISTICS_FILE, type Statistics } from '../../cost/statistics.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { Settings } from '../../../service/config/settings.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { existingSchema, noTables, SCHEMA_FOLDER, type SchemaFlags } from '../../kit/schema-options.ts';
import type { CostSource } from './costs-of.ts';
import { caseName } from './report.ts';

/** The file of statistics has this path unless a flag names another one. */
export const DEFAULT_SIZES = join(SCHEMA_FOLDER, STATISTICS_FILE);

/** Resolves to no sizes if no flag names a file, and there is none. Rejects with CommandError. */
export async function readSizes(file: string | undefined): Promise<Statistics> {
  const path = file ?? DEFAULT_SIZES;
  if (file === undefined && !existsSync(path)) return new Map();
  const text = await readText(path, MAX_DOCUMENT_BYTES).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`Cannot read ${path}: ${why}`, { exitCode: 2 });
  });
  const read = readStatistics(path, text);
  if ('statistics' in read) return read.statistics;
  const details = read.findings.map(describeFinding);
  throw new CommandError(`${path} is no file of statistics`, { exitCode: 2, details });
}

/** Resolves to what tables are made of. Rejects with CommandError if no tables are known. */
export async function madeOf(
  flags: SchemaFlags & { readonly statistics?: string },
  settings: Settings,
  deps: CommandDeps,
): Promise<NonNullable<CostSource['made']>> {
  const schema = existingSchema(flags, settings, deps);
  if (schema === undefined) throw noTables(settings, 'Nothing can be estimated', { needsEngine: true });
  return { schema, statistics: await readSizes(flags.statistics) };
}

const MAX_BYTES = 2 ** 26;

interface EarlierExample {
  readonly endpoint: string;
  readonly example: string;
  readonly rows: number;
}

/** Resolves to rows by `endpoint: example`. Rejects with CommandError if the file is no report. */
export async function readEarlier(file: string): Promise<ReadonlyMap<string, number>> {
  const fail = (why: string): never => {
    throw new CommandError(`--compare: ${file} ${why}`, { exitCode: 2 });
  };
  const text = await readText(file, MAX_BYTES).catch(() => fail('cannot be read'));
  const examples = examplesOf(text) ?? fail('is no report of millrace cost --format json');
  return new Map(examples.map((each) => [caseName(each), each.rows]));
}

/** Returns undefined for any other text. Calls that could not be estimated are left out. */
function examplesOf(text: string): readonly EarlierExample[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const examples: unknown = isRecord(value) ? value['examples'] : undefined;
    return Array.isArray(examples) ? examples.filter(isEstimated) : undefined;
  } catch {
    return undefined;
  }
}

function isEstimated(value: unknown): value is EarlierExample {
  return (
    isRecord(value) &&
    typeof value['endpoint'] === 'string' &&
    typeof value['example'] === 'string' &&
    typeof value['rows'] === 'number'
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
