// A statement as the HTTP interface takes it: text, parameters and settings apart.
import type { Settings, Statement } from '../engine.ts';
import { parameterSettings } from '../parameter-text.ts';
import { FIXED_SETTINGS, ISOLATION_SETTINGS, settingsOf } from '../settings.ts';
import { sendable } from './permissions.ts';

export interface HttpUser {
  readonly user: string;
  readonly password: string;
}

export interface RequestOptions {
  readonly format: string;
  readonly comment: string | undefined;
  readonly traceparent: string | undefined;
  /** The settings that its user may be sent. */
  readonly permitted: ReadonlySet<string>;
}

/** What the client is given, but for who asks. */
export interface HttpRequest {
  readonly query: string;
  readonly query_id: string;
  readonly clickhouse_settings: SentSettings;
  readonly http_headers?: Readonly<Record<string, string>>;
}

/** What is undefined is not sent. */
export type SentSettings = Readonly<Record<string, string | number | undefined>>;

/** Exceptions stay apart from rows, and a closed connection ends its query. */
export const TRANSPORT_SETTINGS: Settings = {
  http_write_exception_in_output_format: 0,
  cancel_http_readonly_queries_on_client_close: 1,
};

/** The client asks for compression by itself; where that may not be set, it must not. */
export const NO_SETTINGS: SentSettings = { enable_http_compression: undefined };

const MAX_COMMENT = 2000;

/**
 * Saved queries run with `readonly = 2`, which a user's profile may demand already; consumers' with `readonly = 1`, so
 * that their own SETTINGS are refused. A user is sent only what its profile allows; the rest has to be in the profile.
 */
export function requestOf(statement: Statement, options: RequestOptions): Omit<HttpRequest, 'query_id'> {
  const { sql, parameters, origin } = statement;
  const { format, comment, traceparent, permitted } = options;
  const settings = {
    ...FIXED_SETTINGS,
    ...(origin === 'consumer' ? ISOLATION_SETTINGS : {}),
    ...settingsOf(statement),
    ...(comment === undefined ? {} : { log_comment: comment.slice(0, MAX_COMMENT) }),
    readonly: origin === 'consumer' ? 1 : 2,
  };
  return {
    query: `${sql}\nFORMAT ${format}`,
    // The client's own escaping of parameters breaks the text of arrays; settings it sends as they are.
    clickhouse_settings: {
      ...(permitted.has('enable_http_compression') ? {} : NO_SETTINGS),
      ...sendable({ ...settings, ...TRANSPORT_SETTINGS }, permitted),
      ...parameterSettings(parameters),
    },
    ...(traceparent === undefined ? {} : { http_headers: { traceparent } }),
  };
}
