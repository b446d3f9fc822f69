// Who is calling, and the walls around them: compiled from an entry of the tokens file or from the claims of a token.
import type { Token } from '../config/generated/tokens.ts';
import { parseRate, type Rate } from '../config/rate.ts';
import { compileGlobs } from './globs.ts';

export interface Principal {
  /** Unique among all callers and the same over reloads; what is counted is counted under it. */
  readonly id: string;
  /** For logs and messages. */
  readonly name: string;
  readonly covers: (endpointName: string) => boolean;
  /** Languages in which it may send queries of its own. */
  readonly languages: ReadonlySet<'sql' | 'lql'>;
  /** Parameters that are set for the caller. */
  readonly locked: ReadonlyMap<string, string | number | boolean>;
  readonly redact: boolean;
  /** Over all its calls; undefined: not limited. */
  readonly rate: Rate | undefined;
}

/** What a key may do: an entry of the tokens file says it, and a claim of a JSON Web Token. */
export type Grant = Pick<Token, 'endpoints' | 'allow' | 'parameters' | 'pii' | 'rate'>;

export function createPrincipal(id: string, name: string, grant: Grant): Principal {
  return Object.freeze({
    id,
    name,
    covers: compileGlobs(grant.endpoints),
    languages: new Set(grant.allow),
    locked: new Map(Object.entries(grant.parameters ?? {})),
    redact: grant.pii === 'redact',
    rate: grant.rate === undefined ? undefined : parseRate(grant.rate),
  });
}
