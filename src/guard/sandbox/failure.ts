// What a consumer may learn about an engine failure: our own message, with a location in their query; never the engine's.
import { positionAt } from '../../sql/base/position.ts';
import type { ProblemOptions } from '../../sql/base/problem.ts';
import type { Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { quotedNames, scopeOf, type EngineMessage } from './engine-message.ts';
import { findInQuery, isConsumerScope } from './find-in-query.ts';
import type { TextMatch } from './find-in-query.ts';
import { failedCall, onlyCause } from './failed-call.ts';
import { failureHint, type VisibleNames } from './failure-hints.ts';
import { FAILURE_CODES, FAILURE_MESSAGES, type FailureMessage } from './failure-messages.ts';
import { lexConsumerQuery } from './lexed-query.ts';
import type { Verdict } from './verdict.ts';

const UNKNOWN_IDENTIFIER = 47;

/** Unknown table, unknown database, access denied. */
const HIDDEN_CODES: ReadonlySet<number | undefined> = new Set([60, 81, 497]);

/**
 * On the left of IN the engine also looks up tables, and its errors reveal whether `database.table` exists. Consumers
 * get the same message in each case: no such column.
 */
export function readsAsColumn({ engineCode, message }: EngineMessage): boolean {
  return HIDDEN_CODES.has(engineCode) || message.includes('is a table expression');
}

const CODE_NAMES: ReadonlyMap<number, string> = new Map(FAILURE_CODES);

/** ClickHouse's name of an error that a consumer query can cause; undefined for other codes. */
export function engineCodeName(engineCode: number): string | undefined {
  return CODE_NAMES.get(engineCode);
}

/**
 * Options of the Problem `query.failed` for a checked query that has failed; undefined if the failure is not about the
 * consumer's query. `visible` is what the consumer can read, for hints.
 */
export function consumerFailure(
  verdict: Verdict,
  failure: EngineMessage,
  visible: VisibleNames,
): ProblemOptions | undefined {
  const engineCode = readsAsColumn(failure) ? UNKNOWN_IDENTIFIER : failure.engineCode;
  const known = FAILURE_MESSAGES.get(engineCode ?? 0);
  if (known === undefined) return undefined;
  // Verdicts are cached without tokens; failures are rare enough to read the query again.
  const query = lexConsumerQuery(verdict.source);
  const isConsumers = isConsumersFault(known, { query, verdict, failure });
  const location =
    failedCall(query, failure) ??
    locationOf(query, failure.message, verdict.narrow !== undefined) ??
    (isConsumers ? onlyCause(query, failure) : undefined);
  const failed = { engineCode, message: failure.message, query, own: verdict.names, tables: verdict.tables };
  const hint = failureHint({ ...failed, source: location?.source }, visible);
  if (location === undefined) {
    return isConsumers ? { ...withoutLocation(known.textFor('')), ...(hint && { hint }) } : undefined;
  }
  const message = known.textFor(location.source.slice(0, 60));
  const position = positionAt(verdict.source, location.start);
  return {
    detail: `${message} (line ${position.line}, column ${position.column})`,
    errors: [{ ...position, message }],
    ...(hint && { hint }),
  };
}

interface Evidence {
  readonly query: Tree;
  readonly verdict: Verdict;
  readonly failure: EngineMessage;
}

function isConsumersFault({ evidence }: FailureMessage, { query, verdict, failure }: Evidence): boolean {
  if (evidence !== 'location or scope') return evidence === 'none';
  const scope = scopeOf(failure.message);
  const sent = verdict.narrow === undefined ? query : lexConsumerQuery(verdict.narrow.joined);
  // The engine may name a WITH element alone: one of the consumer's own, unless it is a table of the endpoint.
  return (
    scope !== undefined && !verdict.tables.includes(scope.replaceAll('`', '')) && isConsumerScope(sent, scope)
  );
}

function withoutLocation(message: string): ProblemOptions {
  return { detail: message, errors: [{ message }] };
}

/** Names of a message that are looked for: some messages name thousands, and each search reads the whole query. */
const MAX_NAMES = 50;

/**
 * The first name in the message that occurs in the consumer's query. With `hasSubcolumns`, a name may have a last part that the
 * consumer has not written: `tags.size0`.
 */
function locationOf(query: Tree, message: string, hasSubcolumns: boolean): TextMatch | undefined {
  const names = [...new Set(quotedNames(message))].slice(0, MAX_NAMES);
  for (const name of hasSubcolumns ? [...names, ...names.map(withoutLastPart)] : names) {
    const found = name === '' ? undefined : findInQuery(query, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `a.b` of `a.b.size0`; empty for a name of one part. */
function withoutLastPart(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}
