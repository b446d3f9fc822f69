// A statement as it is sent to the embedded engine: its text with clauses for settings and format, and the profile of the connection
// that runs it.
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import type { ParameterValue, RunOptions, Statement } from '../engine.ts';
import {
  conditionCacheOf,
  formatName,
  limitSettingsOf,
  outputOf,
  printSettings,
  settingsOf,
} from '../settings.ts';
import type { Entry } from '../wait-queue.ts';
import { consumerProfile, savedProfile, type Profile } from './profile.ts';
import { PROGRESS_FORMAT } from './progress.ts';

/** A statement to be run on a connection. */
export interface Work extends Entry {
  readonly profile: Profile;
  readonly sql: string;
  readonly format: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly timeoutMs?: number;
  /** Read-only: if the process ends through no fault of this statement, it is retried once. */
  readonly isRepeatable: boolean;
  readonly onFatal?: Statement['onFatal'];
  readonly comment?: string | undefined;
  readonly rowPolicy?: Statement['rowPolicy'];
  readonly onStart?: RunOptions['onStart'] | undefined;
  readonly onRead?: RunOptions['onRead'] | undefined;
}

/** A statement whose result goes to a file of the system, as a caller of a connection has none. */
export function workInto(work: Work, path: string): Work {
  const end = `FORMAT ${work.format}`;
  const sql = `${work.sql.slice(0, -end.length)}INTO OUTFILE ${quoteString(path)} APPEND\n${end}`;
  return { ...work, sql, isApart: true, isRepeatable: false };
}

/** Added to the engine's own time limit, so that the engine's error comes first. */
const TIMER_SLACK_MS = 500;

/** Appends SETTINGS and FORMAT clauses; with a FORMAT clause in the given SQL, the result would not parse. */
export function workOf(
  statement: Statement,
  format: RunOptions['format'],
  options: Partial<RunOptions> = {},
): Work {
  const { origin, parameters, key, onFatal, rowPolicy } = statement;
  const { signal, lane, callers, isPatient, comment, onStart, onRead } = options;
  const output = outputOf(format);
  const name = formatName(format);
  const isRow = typeof format === 'string';
  const own = {
    ...(isRow ? settingsOf(statement) : limitSettingsOf(statement)),
    ...conditionCacheOf(statement),
  };
  const settings = origin === 'consumer' ? '' : `\nSETTINGS ${printSettings(own)}`;
  return {
    profile: origin === 'consumer' ? consumerProfile(statement, output) : savedProfile(output),
    sql: `${statement.sql}${settings}\nFORMAT ${name}`,
    format: name,
    parameters,
    timeoutMs: statement.limits.time * 1000 + TIMER_SLACK_MS,
    isRepeatable: true,
    onFatal,
    comment,
    rowPolicy,
    origin,
    signal,
    key,
    lane,
    callers,
    isPatient,
    onStart,
    onRead,
  };
}

/** The same in a format that also reports what is read. */
export function withProgress(work: Work): Work {
  const sql = work.sql.slice(0, work.sql.length - work.format.length) + PROGRESS_FORMAT;
  return { ...work, sql, format: PROGRESS_FORMAT };
}
