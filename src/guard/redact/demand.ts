// Decides whether a response is redacted. Any party can require redaction, none can disable it.
import type { ColumnAction } from './columns.ts';
import { NO_REDACTION, type Redactor } from './redactor.ts';

/** The redaction settings of an endpoint file. */
export interface RedactionPolicy {
  /** It is true if every response is redacted. */
  readonly always: boolean;
  /** Where the saved query is redacted: in its result, or in the tables that it reads. */
  readonly at: 'result' | 'source';
  /** The fewest rows of a group that a consumer query may see where it is redacted; undefined: any. */
  readonly minGroup: number | undefined;
  /** Actions by the names and paths of columns. */
  readonly columns: Readonly<Record<string, ColumnAction>>;
  /** The redactor to use if redaction is required. */
  readonly redactor: Redactor;
}

/** Other sources that can require redaction: the caller's key, a request header. */
export interface RedactionDemands {
  readonly key: boolean;
  readonly header: boolean;
}

/** Returns whether a redactor changes anything. */
export function isRedacting({ source }: Redactor): boolean {
  return source !== undefined;
}

/** The endpoint's redactor if at least one source requires it; otherwise one that changes nothing. */
export function demandedRedactor(
  policy: Pick<RedactionPolicy, 'always' | 'redactor'>,
  { key, header }: RedactionDemands,
): Redactor {
  return policy.always || key || header ? policy.redactor : NO_REDACTION;
}
