// `millrace token create`: a new key, shown once, whose hash goes into the tokens file.
import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { hashKey } from '../auth/keyring.ts';
import { createReadTokens } from '../auth/tokens-file.ts';
import type { Token } from '../config/generated/tokens.ts';
import { createValueCheck } from '../config/schema.ts';
import { appendToList } from '../config/yaml-edit.ts';
import { describeDiagnostic } from '../observe/log.ts';
import { CommandError } from './command-error.ts';
import type { Terminal } from './terminal.ts';

export interface CreateTokenOptions {
  readonly file: string;
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly allow: readonly string[];
  /** `name=value` pairs. */
  readonly parameters: readonly string[];
  readonly expires: string | undefined;
}

/** Adds a key to the file, which is created when missing, and prints the key. */
export async function createToken(options: CreateTokenOptions, terminal: Terminal): Promise<void> {
  const { file } = options;
  const read = await createReadTokens()(file);
  if (read.kind === 'rejected') {
    throw new CommandError(
      `${file} has errors; correct them first: ${read.diagnostics.map(describeDiagnostic).join('; ')}`,
    );
  }
  const known = read.kind === 'read' ? read.tokens : [];
  if (known.some((token) => token.name === options.name)) {
    throw new CommandError(`${file} already has a key named "${options.name}"; choose another name`);
  }
  const key = `mr_${randomBytes(24).toString('base64url')}`;
  const entry = toEntry(options, hashKey(key));
  const text = read.kind === 'missing' ? '' : await readFile(file, 'utf8');
  await replaceFile(file, appendToList(text, 'tokens', entry));
  terminal.note(`Added "${options.name}" to ${file}. The key is shown only now:`);
  terminal.print(key);
}

function toEntry(options: CreateTokenOptions, sha256: string): Token {
  const { name, endpoints, allow, parameters, expires } = options;
  const entry = {
    name,
    sha256,
    endpoints: [...endpoints],
    ...(allow.length === 0 ? {} : { allow: [...allow] }),
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters.map(splitPair)) }),
    ...(expires === undefined ? {} : { expires }),
  };
  const [finding] = createValueCheck('tokens')({ tokens: [entry] });
  if (finding === undefined) return entry as Token; // it passed the schema that the type is generated from
  throw new CommandError(`${String(finding.path[2] ?? 'the key')}: ${finding.message}`, { exitCode: 2 });
}

/** Splits `name=value`. */
export function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new CommandError(`"${pair}" is not of the form name=value`, { exitCode: 2 });
}

/** Readers see the old file or the new one, whole. */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.new`;
  await writeFile(temporary, text, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, file);
}
