// Converts a statement to a request of the HTTP interface: query, parameters and settings.
import type { RunOptions, Settings, Statement } from '../engine.ts';
import { parameterSettings } from '../parameter-text.ts';
import { rowPolicySettings } from '../row-policy.ts';
import {
  conditionCacheOf,
  FIXED_SETTINGS,
  formatName,
  ISOLATION_SETTINGS,
  outputOf,
  requiredOutputOf,
  settingsOf,
} from '../settings.ts';
import { sendable } from './permissions.ts';

export interface HttpUser {
  readonly user: string;
  readonly password: string;
}

export interface RequestOptions {
  readonly format: RunOptions['format'];
  readonly comment: string | undefined;
  readonly traceparent: string | undefined;
  /** Settings that may be sent for this user. */
  readonly permitted: ReadonlySet<string>;
  /** What the statement reads is counted: the summary has to be that of the whole statement. */
  readonly isCounted?: boolean;
}

/** The client's options for one request, without authentication. */
export interface HttpRequest {
  readonly query: string;
  readonly query_id: string;
  readonly clickhouse_settings: SentSettings;
  readonly http_headers?: Readonly<Record<string, string>>;
}

/** Undefined settings are not sent. */
export type SentSettings = Readonly<Record<string, string | number | undefined>>;

/** Exceptions are not written into the rows, and closing the connection cancels the query. */
export const TRANSPORT_SETTINGS: Settings = {
  http_write_exception_in_output_format: 0,
  cancel_http_readonly_queries_on_client_close: 1,
};

/**
 * The server sends nothing before the query has ended: an error never follows rows in a format in which it could be read as one,
 * and the summary has the number of rows. A parameter of the interface, not a setting.
 */
const WHOLE: SentSettings = { wait_end_of_query: 1 };

/** Returns whether a response is sent after its query has ended. */
export function isWhole({ clickhouse_settings: sent }: Pick<HttpRequest, 'clickhouse_settings'>): boolean {
  return sent['wait_end_of_query'] === 1;
}

/** The client sets `enable_http_compression` by default; if the profile forbids changing it, it must be unset. */
export const NO_SETTINGS: SentSettings = { enable_http_compression: undefined };

const MAX_COMMENT = 2000;

/**
 * Saved queries run with `readonly = 2`, which a user's profile may already enforce; consumer queries run with
 * `readonly = 1`, so that their own SETTINGS are rejected. Only settings that the profile permits are sent; the others
 * must be in the profile.
 */
export function requestOf(statement: Statement, options: RequestOptions): Omit<HttpRequest, 'query_id'> {
  const { sql, parameters, origin, rowPolicy } = statement;
  const { format, comment, traceparent, permitted, isCounted = false } = options;
  const settings = {
    ...FIXED_SETTINGS,
    ...(origin === 'consumer' ? ISOLATION_SETTINGS : conditionCacheOf(statement)),
    ...settingsOf(statement),
    ...outputOf(format),
    ...(comment === undefined ? {} : { log_comment: comment.slice(0, MAX_COMMENT) }),
    readonly: origin === 'consumer' ? 1 : 2,
  };
  return {
    query: `${sql}\nFORMAT ${formatName(format)}`,
    // Parameters are sent as settings, which the client does not escape; its escaping of parameters corrupts arrays.
    clickhouse_settings: {
      ...(permitted.has('enable_http_compression') ? {} : NO_SETTINGS),
      ...sendable({ ...settings, ...TRANSPORT_SETTINGS }, permitted),
      // Sent even if the profile does not permit them: the caller gets what it asked for, and no more, or an error.
      ...(typeof format === 'string' ? {} : requiredOutputOf(format)),
      ...(typeof format === 'string' && !isCounted ? {} : WHOLE),
      ...parameterSettings(parameters),
      // Sent even if the profile does not permit them: an error is better than a query without its row policies.
      ...(origin === 'consumer' && rowPolicy !== undefined ? rowPolicySettings(rowPolicy) : {}),
    },
    ...(traceparent === undefined ? {} : { http_headers: { traceparent } }),
  };
}
