// `millrace token`: creates, rotates, lists and revokes keys in the tokens file. A key is shown once and never stored.
import { randomBytes } from 'node:crypto';
import { hashKey } from '../../../service/auth/keyring.ts';
import type { PreviousKey, Token } from '../../../service/config/generated/tokens.ts';
import { createValueCheck } from '../../../service/config/schema.ts';
import { appendToList, removeAt, setAt } from '../../yaml/yaml-edit.ts';
import { CommandError } from '../../kit/command-error.ts';
import { splitPair } from '../../kit/name-value.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { indexOf, changeTokens } from './tokens-text.ts';

export interface CreateTokenOptions {
  readonly file: string;
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly allow: readonly string[];
  /** `name=value` pairs. */
  readonly parameters: readonly string[];
  readonly pii: string | undefined;
  readonly statements: boolean | undefined;
  /** `standard` or `bigquery`. */
  readonly resultShape: string | undefined;
  readonly rate: string | undefined;
  readonly budget: Token['budget'];
  readonly expires: string | undefined;
}

/** Adds a key to the file, creating the file if necessary, and prints the key. */
export async function createToken(options: CreateTokenOptions, terminal: Terminal): Promise<void> {
  const { file, name } = options;
  const key = newKey();
  const entry = toEntry(options, hashKey(key));
  await changeTokens(file, ({ tokens, text }) => {
    if (tokens.some((token) => token.name === name))
      throw new CommandError(`${file} already has a key named "${name}"; choose another name`);
    return appendToList(text, 'tokens', entry);
  });
  terminal.note(`Added "${name}" to ${file}. The key is shown only once:`);
  terminal.print(key);
}

export interface RotateTokenOptions {
  readonly file: string;
  readonly name: string;
  /** How long the previous key is still accepted: `90s`, `30min`, `24h`, `7d`. */
  readonly keep: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Replaces a key and prints the new one; the previous key is accepted until `keep` has passed. */
export async function rotateToken(options: RotateTokenOptions, terminal: Terminal): Promise<void> {
  const { file, name, now } = options;
  const until = new Date(now + keepMs(options.keep));
  const key = newKey();
  await changeTokens(file, ({ tokens, text }) => {
    const index = indexOf(tokens, name, file);
    const { sha256, previous = [] } = tokens[index] ?? { sha256: '' };
    const kept: PreviousKey[] = [{ sha256, expires: until.toISOString() }, ...previous];
    const living = kept.filter(({ expires }) => Date.parse(expires) > now).slice(0, MAX_PREVIOUS);
    const replaced = setAt(text, ['tokens', index, 'sha256'], hashKey(key));
    return setAt(replaced, ['tokens', index, 'previous'], living.length === 0 ? undefined : living);
  });
  terminal.note(
    `"${name}" has a new key, shown only once. The previous key is accepted until ${until.toISOString()}:`,
  );
  terminal.print(key);
}

/** The maximum in the schema. */
const MAX_PREVIOUS = 5;
const UNITS: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

function keepMs(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})(s|min|h|d)$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (Number.isFinite(ms)) return ms;
  throw new CommandError(`Invalid --keep "${text}": use a duration such as 90s, 30min, 24h or 7d`, {
    exitCode: 2,
  });
}

/** Removes a key from the file; services that watch the file reject it moments later. */
export async function revokeToken(file: string, name: string, terminal: Terminal): Promise<void> {
  await changeTokens(file, ({ tokens, text }) => removeAt(text, ['tokens', indexOf(tokens, name, file)]));
  terminal.note(`Removed "${name}" from ${file}`);
}

function newKey(): string {
  return `mr_${randomBytes(24).toString('base64url')}`;
}

function toEntry(options: CreateTokenOptions, sha256: string): Token {
  const { name, endpoints, allow, parameters, statements, pii, resultShape, rate, budget, expires } = options;
  const entry = {
    name,
    sha256,
    endpoints: [...endpoints],
    ...(allow.length === 0 ? {} : { allow: [...allow] }),
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters.map(splitPair)) }),
    ...(statements === true ? { statements } : {}),
    ...(pii === undefined ? {} : { pii }),
    ...(resultShape === undefined ? {} : { result_shape: resultShape }),
    ...(rate === undefined ? {} : { rate }),
    ...(budget === undefined ? {} : { budget }),
    ...(expires === undefined ? {} : { expires }),
  };
  const [finding] = createValueCheck('tokens')({ tokens: [entry] });
  if (finding === undefined) return entry as Token; // it passed the schema that the type is generated from
  throw new CommandError(`${String(finding.path[2] ?? 'the key')}: ${finding.message}`, { exitCode: 2 });
}
