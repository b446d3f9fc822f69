// The program hands these to `serve`.
import type { Terminal } from './terminal.ts';
import type { OpenEngine, OpenService } from './dependencies.ts';

export interface ServeDeps {
  readonly openEngine: OpenEngine;
  readonly openService: OpenService;
  readonly terminal: Terminal;
  /** Calls back on each SIGTERM or SIGINT, and on each SIGHUP. */
  readonly onSignal: (on: { readonly stop: (signal: string) => void; readonly reload: () => void }) => void;
}
