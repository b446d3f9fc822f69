// Writes the engine's configuration into the data directory. Without one, chDB reads ./config.xml in the working
// directory.
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { writeAside } from '../../config/replace-file.ts';

export interface ConfigOptions {
  /** The data directory; created if missing. */
  readonly path: string;
  /** Memory limit for all queries together, in bytes. */
  readonly memory: number;
  /** It is true if the users file has the engine's users; default: one user that may do everything. */
  readonly hasUsers?: boolean;
}

/** Writes the configuration and resolves with its absolute path. */
export async function writeConfigFile({ path, memory, hasUsers = false }: ConfigOptions): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const file = join(resolve(path), 'millrace.xml');
  await writeAside(file, configText(memory, hasUsers ? usersFileOf(path) : undefined));
  return file;
}

/** Writes the users file, which the engine reads while it opens; removed after that, since it holds secrets. */
export function writeUsersFile(path: string, text: string): Promise<void> {
  return writeAside(usersFileOf(path), text);
}

export async function removeUsersFile(path: string): Promise<void> {
  await rm(usersFileOf(path), { force: true });
}

function usersFileOf(path: string): string {
  return join(resolve(path), 'millrace-users.xml');
}

/** Cache sizes are fractions of the memory limit: the defaults assume a dedicated machine. */
function configText(memory: number, users: string | undefined): string {
  const bytes = Math.trunc(memory);
  const share = (parts: number): number => Math.trunc(bytes / parts);
  const usersConfig = users === undefined ? '' : `  <users_config>${escape(users)}</users_config>\n`;
  return `<clickhouse>
${usersConfig}  <max_server_memory_usage>${bytes}</max_server_memory_usage>
  <mark_cache_size>${share(10)}</mark_cache_size>
  <primary_index_cache_size>${share(10)}</primary_index_cache_size>
  <index_mark_cache_size>${share(20)}</index_mark_cache_size>
  <compiled_expression_cache_size>${share(20)}</compiled_expression_cache_size>
  <query_condition_cache_size>${share(20)}</query_condition_cache_size>
</clickhouse>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
