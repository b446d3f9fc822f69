// The functions of other modules that the process passes to commands.
import type { Readable, Writable } from 'node:stream';
import type { Catalog } from '../../service/endpoints/catalog.ts';
import type { LiveCatalog } from '../../service/endpoints/live.ts';
import type { Token } from '../../service/config/generated/tokens.ts';
import type { Settings } from '../../service/config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import type { Log, Relay } from '../../service/observe/log.ts';
import type { Engine } from '../../service/engine/engine.ts';
import type { RequestPath } from '../../service/request/answer.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { PreflightFinding } from '../../service/preflight/finding.ts';
import type { Live } from '../../service/fronts/live/live.ts';
import type { Terminal } from './terminal.ts';

export type { OpenTestRuntime } from '../checks/engine/example-queries.ts';

export interface RunningService {
  readonly address: string;
  /** The ClickHouse interface's own listener, if it has one. */
  readonly clickhouse: string | undefined;
  readonly tinybird: string | undefined;
  readonly catalog: LiveCatalog;
  /** Which parts are ready, and which are not. */
  readonly readiness: () => Promise<{
    readonly checks: Readonly<Record<string, string>>;
    readonly causes: Readonly<Record<string, string | undefined>>;
  }>;
  reload(): Promise<void>;
  close(reason: string): Promise<void>;
}

export type OpenEngine = (settings: Settings, observe: Observe) => Promise<Engine>;

export type OpenService = (options: {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly extraTokens: readonly Token[];
  readonly observe: Observe;
  readonly droppedLines?: Log['droppedLines'];
  readonly engineEvents?: Relay;
  readonly isDevelopment?: boolean;
}) => Promise<RunningService>;

/** Answers calls without a server, with all permissions. */
export type OpenLocal = (options: {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly observe: Observe;
}) => Promise<{
  readonly path: RequestPath;
  readonly live: Live;
  readonly catalog: () => Catalog;
  readonly rejected: () => readonly Finding[];
  readonly preflight: () => Promise<readonly PreflightFinding[]>;
  close(): Promise<void>;
}>;

/** The standard streams of the process. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Serves MCP over streams, with all permissions. */
export type OpenMcp = (options: {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly observe: Observe;
  readonly streams: Streams;
  /** Reports, in a line, what the client does not see. */
  readonly note: (line: string) => void;
}) => Promise<{
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}>;

/** The program hands these to `serve`. */
export interface ServeDeps {
  readonly openEngine: OpenEngine;
  readonly openService: OpenService;
  readonly terminal: Terminal;
  /** Calls back on each SIGTERM or SIGINT, and on each SIGHUP. */
  readonly onSignal: (on: { readonly stop: (signal: string) => void; readonly reload: () => void }) => void;
}
