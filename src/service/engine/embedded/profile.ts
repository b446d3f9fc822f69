// Connection profiles: which statements run on a connection, and the settings fixed when it is opened.
import type { Settings, Statement } from '../engine.ts';
import { contextText } from '../row-policy.ts';
import { FIXED_SETTINGS, ISOLATION_SETTINGS, settingsOf } from '../settings.ts';

/** Connections with the same key are interchangeable. */
export interface Profile {
  readonly key: string;
  /** Engine arguments, in order of application. */
  readonly args: readonly string[];
  /** The database in which unqualified names are resolved. */
  readonly database: string;
  /** The role of the users file that the connection takes; the author's has all of them. */
  readonly role: 'author' | 'reader' | 'consumer';
  /** What row filters compare with; undefined: they let every row pass. */
  readonly context?: string;
}

/** Always empty, so that unqualified names and `'/some/file'` resolve to nothing. */
export const EMPTY_DATABASE = 'millrace_empty';

/** Commands of the operator: seeds and tables. The only profile that may write. */
export const AUTHOR_PROFILE: Profile = { key: 'author', args: [], database: 'default', role: 'author' };

/** Saved queries: read-only, with limits in each statement's SETTINGS clause. */
export const SAVED_PROFILE: Profile = {
  key: 'saved',
  args: [...toArgs(FIXED_SETTINGS), '--readonly=2'],
  database: EMPTY_DATABASE,
  role: 'reader',
};

/** The same with output settings of their own; the fixed ones are those of the service's formats. */
export function savedProfile(output: Settings): Profile {
  if (Object.keys(output).length === 0) return SAVED_PROFILE;
  return {
    ...SAVED_PROFILE,
    key: `saved ${JSON.stringify(output)}`,
    args: [...toArgs({ ...FIXED_SETTINGS, ...output }), '--readonly=2'],
  };
}

/**
 * Consumer queries: limits and output settings are set on the connection, and `readonly=1` (last) prevents any change to them.
 * Neither is ever part of the statement's text. A connection serves one endpoint and the values of its tenant.
 */
export function consumerProfile(
  statement: Pick<Statement, 'limits' | 'int64' | 'nonFinite' | 'workload' | 'isRedacted' | 'rowPolicy'>,
  output: Settings = {},
): Profile {
  const blocks = statement.isRedacted === true ? REDACTED_BLOCKS : {};
  const settings = { ...settingsOf(statement), ...blocks, ...output };
  const { rowPolicy } = statement;
  const context = rowPolicy === undefined ? '' : contextText(rowPolicy);
  return {
    key: `consumer ${JSON.stringify([settings, context])}`,
    args: [...toArgs({ ...FIXED_SETTINGS, ...ISOLATION_SETTINGS, ...settings }), '--readonly=1'],
    database: EMPTY_DATABASE,
    role: 'consumer',
    context,
  };
}

/**
 * Four times the default, so that blocks of rows are larger: the expressions of redaction are compiled for each block, also if conditions
 * leave few rows of it. Without redaction it would read more: columns are skipped by the block.
 */
const REDACTED_BLOCKS = { preferred_block_size_bytes: 4_000_000 };

function toArgs(settings: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
}
