// The keyring in service: the tokens file followed on disk, its last good version kept.
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Observe } from '../core/observation.ts';
import type { Token } from '../config/generated/tokens.ts';
import { watchPaths } from '../config/watch.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import { createReadTokens } from './tokens-file.ts';

export interface LiveKeyring {
  /** The keyring of this moment; read once per request. */
  current(): Keyring;
  /** Reads the file again now. Never rejects: failures are observed. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** A tokens file that keys cannot be taken from at the start. */
export class TokensRejected extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(path: string, diagnostics: readonly Diagnostic[]) {
    super(
      diagnostics.length === 0 ? `There is no tokens file at ${path}` : `The tokens file ${path} has errors`,
    );
    this.name = 'TokensRejected';
    this.diagnostics = diagnostics;
  }
}

/** Keys that are fixed, such as the one made for a development run. */
export function fixedKeyring(tokens: readonly Token[]): LiveKeyring {
  const keyring = createKeyring(tokens);
  return { current: () => keyring, reload: () => Promise.resolve(), close: () => Promise.resolve() };
}

/** Reads the file and keeps following it; `extra` keys are always there. Rejects with TokensRejected. */
export async function openLiveKeyring(
  path: string,
  options: { readonly extra: readonly Token[]; readonly observe: Observe },
): Promise<LiveKeyring> {
  const { extra, observe } = options;
  const readTokens = createReadTokens();
  const first = await readTokens(path);
  if (first.kind !== 'read')
    throw new TokensRejected(path, first.kind === 'rejected' ? first.diagnostics : []);
  let keyring = createKeyring([...first.tokens, ...extra]);
  observe({ kind: 'tokens.loaded', tokens: first.tokens.length });

  const reload = async (): Promise<void> => {
    const read = await readTokens(path);
    switch (read.kind) {
      case 'read':
        keyring = createKeyring([...read.tokens, ...extra]);
        return observe({ kind: 'tokens.loaded', tokens: read.tokens.length });
      case 'missing':
        return observe({ kind: 'tokens.rejected', diagnostics: [] });
      case 'rejected':
        return observe({ kind: 'tokens.rejected', diagnostics: read.diagnostics });
    }
  };
  const watcher = await watchPaths(
    [path],
    { settleMs: 40, maxDelayMs: 250, depth: 0 },
    {
      change: () => void reload(),
      error: () => void reload(),
    },
  );
  return { current: () => keyring, reload, close: () => watcher.close() };
}
