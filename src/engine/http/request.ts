// A statement as the HTTP interface takes it: text, parameters and settings apart.
import type { Settings, Statement } from '../engine.ts';
import { parameterSettings } from '../parameter-text.ts';
import { FIXED_SETTINGS, settingsOf } from '../settings.ts';

export interface HttpUser {
  readonly user: string;
  readonly password: string;
}

export interface RequestOptions {
  readonly format: string;
  readonly queryId: string;
  readonly comment: string | undefined;
  readonly traceparent: string | undefined;
  readonly consumer: (HttpUser & { readonly readonly: boolean }) | undefined;
}

/** What the client is given. */
export interface HttpRequest {
  readonly query: string;
  readonly query_id: string;
  readonly clickhouse_settings: Settings;
  readonly http_headers?: Readonly<Record<string, string>>;
  readonly auth?: { readonly username: string; readonly password: string };
}

/** Exceptions stay apart from rows, and a closed connection ends its query. */
const TRANSPORT_SETTINGS: Settings = {
  wait_end_of_query: 0,
  http_write_exception_in_output_format: 0,
  cancel_http_readonly_queries_on_client_close: 1,
};

const MAX_COMMENT = 2000;

/**
 * Saved queries run with `readonly = 2`, which a user's profile may demand already; consumers' with `readonly = 1`, so
 * that their own SETTINGS are refused. A user whose profile says 1 can be sent no settings at all.
 */
export function requestOf(statement: Statement, options: RequestOptions): HttpRequest {
  const { sql, parameters, origin } = statement;
  const consumer = origin === 'consumer' ? options.consumer : undefined;
  const settings = {
    ...FIXED_SETTINGS,
    ...settingsOf(statement),
    ...TRANSPORT_SETTINGS,
    ...(options.comment === undefined ? {} : { log_comment: options.comment.slice(0, MAX_COMMENT) }),
    readonly: origin === 'consumer' ? 1 : 2,
  };
  return {
    query: `${sql}\nFORMAT ${options.format}`,
    query_id: options.queryId,
    // The client's own escaping of parameters breaks the text of arrays; settings it sends as they are.
    clickhouse_settings: {
      ...(consumer?.readonly === true ? {} : settings),
      ...parameterSettings(parameters),
    },
    ...(options.traceparent === undefined ? {} : { http_headers: { traceparent: options.traceparent } }),
    ...(consumer === undefined ? {} : { auth: { username: consumer.user, password: consumer.password } }),
  };
}
