// The live keyring: watches the tokens file and keeps its last valid version.
import type { Finding } from '../../sql/base/finding.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Token } from '../config/generated/tokens.ts';
import { watchPaths } from '../config/watch.ts';
import type { After } from '../../sql/base/clock.ts';
import type { JwtKeyring } from './token-checks.ts';
import { createKeyring, type FileKeyring, type Keyring } from './keyring.ts';
import { createReadTokens, type LoadedTokens } from './tokens-file.ts';

export interface LiveKeyring {
  /** The current keyring; read once per request. */
  current(): Keyring;
  /** The keys by their names, in place of the keys themselves. */
  named(): Keyring;
  /** The file in use, if there is one. */
  file(): LoadedTokens | undefined;
  /** Rereads the file now. Never rejects: failures are reported. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** The tokens file was missing or invalid at start. */
export class TokensRejected extends Error {
  readonly diagnostics: readonly Finding[];

  constructor(path: string, diagnostics: readonly Finding[]) {
    super(
      diagnostics.length === 0 ? `There is no tokens file at ${path}` : `The tokens file ${path} has errors`,
    );
    this.name = 'TokensRejected';
    this.diagnostics = diagnostics;
  }
}

export interface KeyringOptions {
  /** Path of the tokens file, if there is one. */
  readonly path: string | undefined;
  /** Keys in addition to those of the file, such as the generated development key. */
  readonly extra: readonly Token[];
  /** Also accepts the tokens of an issuer; undefined: only keys. */
  readonly jwt: JwtKeyring | undefined;
  readonly observe: Observe;
  /** The timer for watching the file. */
  readonly after: After;
  /** Findings of a valid file; one with an error is not used. */
  readonly check?: (file: LoadedTokens) => readonly Finding[];
}

/** Reads the file and starts watching it. Rejects with TokensRejected. */
export async function openLiveKeyring(options: KeyringOptions): Promise<LiveKeyring> {
  const { path, extra, jwt } = options;
  let keys = createKeyring(extra);
  let keyring = join(keys, jwt);
  if (path === undefined) {
    return {
      current: () => keyring,
      named: () => keys.byName,
      file: () => undefined,
      reload: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
  let file: LoadedTokens | undefined;
  const use = (loaded: LoadedTokens): void => {
    const errors = (options.check?.(loaded) ?? []).filter(({ severity }) => severity === 'error');
    if (errors.length > 0) return options.observe({ kind: 'tokens.rejected', diagnostics: errors });
    file = loaded;
    keys = createKeyring([...loaded.tokens, ...extra]);
    keyring = join(keys, jwt);
    options.observe({ kind: 'tokens.loaded', tokens: loaded.tokens.length });
  };
  const readTokens = createReadTokens();
  const first = await readTokens(path);
  if (first.kind !== 'read')
    throw new TokensRejected(path, first.kind === 'rejected' ? first.diagnostics : []);
  use(first);

  const reload = async (): Promise<void> => {
    const read = await readTokens(path);
    if (read.kind === 'read') return use(read);
    const diagnostics = read.kind === 'rejected' ? read.diagnostics : [];
    options.observe({ kind: 'tokens.rejected', diagnostics });
  };
  const on = { change: () => void reload(), error: () => void reload() };
  const watcher = await watchPaths([path], { settleMs: 40, maxDelayMs: 250, after: options.after }, on);
  const named = (): Keyring => keys.byName;
  return { current: () => keyring, named, file: () => file, reload, close: () => watcher.close() };
}

/** Combines keys and tokens. A key of the file that has the form of a token is treated as a key. */
function join(file: FileKeyring, jwt: JwtKeyring | undefined): Keyring {
  if (jwt === undefined) return file;
  return {
    authenticate: (key, now) => {
      const result = file.authenticate(key, now);
      if (result.kind === 'rejected' && result.reason === 'unknown' && jwt.isToken(key))
        return jwt.authenticate(key, now);
      return result;
    },
  };
}
