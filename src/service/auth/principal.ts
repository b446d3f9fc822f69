// A principal and its restrictions, compiled from an entry of the tokens file or the claims of a token.
import type { ResultShape, Token } from '../config/generated/tokens.ts';
import { parseBudgets, type Budget } from '../config/budget.ts';
import { parseRate, type Rate } from '../config/rate.ts';
import { compileGlobs } from './globs.ts';

export interface Principal {
  /** Unique across all principals and stable across reloads; the key of all counters. */
  readonly id: string;
  /** Calls are reported together by this: tokens of one subject that are locked to different values are apart. */
  readonly usageId: string;
  /** For logs and messages. */
  readonly name: string;
  readonly covers: (endpointName: string) => boolean;
  /** Languages allowed for consumer queries. */
  readonly languages: ReadonlySet<'sql' | 'lql'>;
  /** Parameters fixed for this principal. */
  readonly locked: ReadonlyMap<string, string | number | boolean>;
  /** Explain shows it the statements as they are sent to the engine. */
  readonly seesStatements: boolean;
  readonly redact: boolean;
  /** The shape of rows for this key; undefined: that of the endpoint. */
  readonly resultShape: ResultShape | undefined;
  /** For all of its calls together; undefined: unlimited. */
  readonly rate: Rate | undefined;
  /** For all of its runs together. */
  readonly budgets: readonly Budget[];
}

/** The access granted by an entry of the tokens file or a claim of a JSON Web Token. */
export type Grant = Pick<
  Token,
  'endpoints' | 'allow' | 'parameters' | 'statements' | 'pii' | 'result_shape' | 'rate' | 'budget'
>;

/** The id of the principal of an entry of the tokens file. */
export const keyId = (name: string): string => `${KEY}${name}`;
export const isKeyId = (id: string): boolean => id.startsWith(KEY);
const KEY = 'key:';

export function createPrincipal(id: string, name: string, grant: Grant): Principal {
  const locked = Object.entries(grant.parameters ?? {});
  return Object.freeze({
    id,
    usageId: JSON.stringify([id, locked.toSorted(([a], [b]) => (a < b ? -1 : 1))]),
    name,
    covers: compileGlobs(grant.endpoints),
    languages: new Set(grant.allow),
    locked: new Map(locked),
    seesStatements: grant.statements ?? false,
    redact: grant.pii === 'redact',
    resultShape: grant.result_shape,
    rate: grant.rate === undefined ? undefined : parseRate(grant.rate),
    budgets: parseBudgets(grant.budget),
  });
}
