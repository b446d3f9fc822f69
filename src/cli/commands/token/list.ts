// Lists the keys of the tokens file.
import { jsonText } from '../../../service/observe/visible-text.ts';
import type { Uses } from '../../../service/auth/key-use.ts';
import { keyId } from '../../../service/auth/principal.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import { renderTable } from '../../kit/table.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { readTokens } from './tokens-text.ts';

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
    statements: token.statements ?? false,
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
