// The engine's sessions behind the front: one for each query, or kept under a `session_id`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { quoteIdentifier, quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { ServerError } from './errors.ts';
import type { KnownUser, Query, QuerySettings } from './request.ts';
import type { Outcome } from './response.ts';
import { errorText } from './errors.ts';
import { withInfile } from './statement.ts';

export interface EngineSession {
  /** Unique in this process; the `log_comment` by which its query can be killed. */
  readonly id: string;
  run(query: Query): Promise<Outcome>;
  release(): Promise<void>;
}

export interface Sessions {
  /** @throws ServerError for a locked session. */
  open(user: KnownUser, query: Query): EngineSession;
  close(): Promise<void>;
}

export interface SessionsOptions {
  readonly path: string;
  readonly configFile: string;
}

/**
 * `implicit_select` is on in an embedded engine only. Results are held in memory here, where a server streams them: one
 * without an end must fail before it fills the memory.
 */
const SERVER_DEFAULTS = ['--implicit_select=0', `--max_result_bytes=${2 ** 26}`];

export function createSessions({ path, configFile }: SessionsOptions): Sessions {
  const kept = new Map<string, EngineSession>();
  const locked = new Set<string>();
  let opened = 0;

  function create(user: KnownUser): EngineSession {
    const id = `front-${++opened}`;
    const args = [`--config-file=${configFile}`, `--log_comment=${id}`, ...SERVER_DEFAULTS, ...user.profile];
    const session = new Session(path, { connectionArgs: args });
    return { id, run: (query) => runQuery(session, query), release: async () => session.close() };
  }

  function openKept(user: KnownUser, name: string): EngineSession {
    const key = `${user.name} ${name}`;
    if (locked.has(key))
      throw new ServerError(373, 'SESSION_IS_LOCKED', `Session ${name} is locked by a concurrent client`);
    const session = kept.get(key) ?? create(user);
    kept.set(key, session);
    locked.add(key);
    return { ...session, release: async () => void locked.delete(key) };
  }

  return {
    open: (user, query) => (query.session === undefined ? create(user) : openKept(user, query.session)),
    close: async () => void (await Promise.all([...kept.values()].map((session) => session.release()))),
  };
}

async function runQuery(session: Session, query: Query): Promise<Outcome> {
  const { statement, settings, parameters, database, format } = query;
  const started = performance.now();
  let file: string | undefined;
  try {
    await session.queryAsync(`USE ${quoteIdentifier(database)}`, { format: 'Null' });
    const set = setStatement(settings);
    if (set !== undefined) await session.queryAsync(set, { format: 'Null' });
    const bind = parameters.map(([name, text]) => `SET ${name} = ${quoteString(text)}; `).join('');
    if (bind !== '') await session.queryAsync(bind, { format: 'Null' });
    file = statement.rows && (await writeRows(statement.rows));
    const sql = file === undefined ? statement.text : withInfile(statement, file);
    const result = await session.queryAsync(sql, { format });
    const isInsert = /^\s*INSERT\b/i.test(statement.text);
    const statistics = {
      rowsRead: result.rowsRead,
      bytesRead: result.bytesRead,
      rowsWritten: isInsert ? result.rowsRead : 0,
      elapsedMs: performance.now() - started,
    };
    return { bytes: result.bytes(), statistics };
  } catch (cause) {
    // Rows produced before the failure are returned by the next call: include them.
    const rest = await session.queryAsync('SELECT 1', { format: 'Null' });
    const elapsedMs = performance.now() - started;
    const statistics = { rowsRead: 0, bytesRead: 0, rowsWritten: 0, elapsedMs };
    return { bytes: rest.bytes(), error: errorText(cause), statistics };
  } finally {
    if (file !== undefined) await rm(join(file, '..'), { recursive: true });
  }
}

/** One statement, so that `readonly` does not reject the settings beside it. */
function setStatement(settings: QuerySettings): string | undefined {
  const others = Object.entries(settings).filter(([name]) => name !== 'log_comment'); // identifies the session
  const items = others.map(([name, value]) => `${name} = ${quoteString(value)}`);
  return items.length === 0 ? undefined : `SET ${items.join(', ')}`;
}

async function writeRows(rows: Uint8Array): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'millrace-front-rows-')), 'rows');
  await writeFile(file, rows);
  return file;
}
