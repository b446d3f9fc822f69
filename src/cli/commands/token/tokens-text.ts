// Reads and changes the tokens file.
import { readFile } from 'node:fs/promises';
import { createReadTokens } from '../../../service/auth/tokens-file.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import { changeAlone, replaceFile } from '../../../service/config/replace-file.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import { describeFinding } from '../../../service/observe/describe.ts';
import { CommandError } from '../../kit/command-error.ts';
import { REAL_TIME } from '../../kit/real-time.ts';

export function indexOf(tokens: readonly Token[], name: string, file: string): number {
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

export async function readTokens(file: string): Promise<TokensText> {
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
export async function changeTokens(file: string, change: (before: TokensText) => string): Promise<void> {
  await changeAlone(file, REAL_TIME, async () =>
    replaceFile(file, change(await readTokens(file)), 0o600),
  ).catch((cause: unknown) => {
    if (cause instanceof CommandError || !(cause instanceof Error)) throw cause;
    throw new CommandError(`Cannot change ${file}: ${cause.message}`, { cause });
  });
}
