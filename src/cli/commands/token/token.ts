// `millrace token`: creates, rotates, lists and revokes keys in the tokens file. A key is shown once and never stored.
import { jsonText } from '../../../service/observe/visible-text.ts';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Uses } from '../../../service/auth/key-use.ts';
import { hashKey } from '../../../service/auth/keyring.ts';
import { keyId } from '../../../service/auth/principal.ts';
import { createReadTokens } from '../../../service/auth/tokens-file.ts';
import type { PreviousKey, Token } from '../../../service/config/generated/tokens.ts';
import { changeAlone, replaceFile } from '../../../service/config/replace-file.ts';
import { createValueCheck } from '../../../service/config/schema.ts';
import { appendToList, removeAt, setAt } from '../../../service/config/yaml-edit.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import { describeFinding } from '../../../service/observe/describe.ts';
import { CommandError } from '../../kit/command-error.ts';
import { splitPair } from '../../kit/name-value.ts';
import { renderTable } from '../../kit/table.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { REAL_TIME } from '../../kit/real-time.ts';

export interface CreateTokenOptions {
  readonly file: string;
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly allow: readonly string[];
  /** `name=value` pairs. */
  readonly parameters: readonly string[];
  readonly pii: string | undefined;
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

export interface ListTokensOptions {
  readonly file: string;
  readonly format: 'table' | 'json';
  readonly uses: Uses;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Prints every key: permissions, number of uses and last use. Never prints a hash. */
export async function listTokens(options: ListTokensOptions, terminal: Terminal): Promise<void> {
  const { tokens } = await readTokens(options.file);
  const listed = tokens.map((token) => listEntry(token, options));
  if (options.format === 'json') return terminal.write(jsonText({ tokens: listed }));
  if (listed.length === 0) return terminal.note(`${options.file} has no keys`);
  const rows = listed.map((entry) => Object.values(entry).map(cellOf));
  for (const line of renderTable([Object.keys(listed[0] ?? {}), ...rows])) terminal.print(line);
}

function listEntry(token: Token, { uses, now }: ListTokensOptions): Readonly<Record<string, unknown>> {
  const { name, endpoints, allow = [], parameters = {}, pii, rate, budget, expires } = token;
  const use = uses.get(keyId(name));
  return {
    name,
    endpoints,
    allow,
    parameters,
    pii: pii ?? null,
    result_shape: token.result_shape ?? null,
    rate: rate ?? null,
    budget: budget ?? null,
    expires: expires ?? null,
    expired: expires !== undefined && Date.parse(expires) <= now,
    uses: use?.uses ?? 0,
    last_use: use === undefined ? null : new Date(use.last).toISOString(),
  };
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(' ');
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .map(([name, item]) => `${name}=${String(item)}`)
    .join(' ');
}

function indexOf(tokens: readonly Token[], name: string, file: string): number {
  const index = tokens.findIndex((token) => token.name === name);
  if (index !== -1) return index;
  const guess = nearest(
    name,
    tokens.map((token) => token.name),
  );
  throw new CommandError(withSuggestion(`${file} has no key named "${name}"`, guess));
}

interface TokensText {
  readonly tokens: readonly Token[];
  readonly text: string;
}

async function readTokens(file: string): Promise<TokensText> {
  const read = await createReadTokens()(file);
  if (read.kind === 'rejected') {
    throw new CommandError(
      `${file} has errors; fix them first: ${read.diagnostics.map(describeFinding).join('; ')}`,
    );
  }
  if (read.kind === 'missing') return { tokens: [], text: '' };
  return { tokens: read.tokens, text: await readFile(file, 'utf8') };
}

/** Concurrent commands change the file one after the other. */
async function changeTokens(file: string, change: (before: TokensText) => string): Promise<void> {
  await changeAlone(file, REAL_TIME, async () =>
    replaceFile(file, change(await readTokens(file)), 0o600),
  ).catch((cause: unknown) => {
    if (cause instanceof CommandError || !(cause instanceof Error)) throw cause;
    throw new CommandError(`Cannot change ${file}: ${cause.message}`, { cause });
  });
}

function newKey(): string {
  return `mr_${randomBytes(24).toString('base64url')}`;
}

function toEntry(options: CreateTokenOptions, sha256: string): Token {
  const { name, endpoints, allow, parameters, pii, resultShape, rate, budget, expires } = options;
  const entry = {
    name,
    sha256,
    endpoints: [...endpoints],
    ...(allow.length === 0 ? {} : { allow: [...allow] }),
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters.map(splitPair)) }),
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
