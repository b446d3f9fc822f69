// A finding of the preflight.

/**
 * The result of one test. `held`: rejected, or configured as it should be; `known`: it works, as documented; `open`: it
 * works and must not; `damaged`: rows are missing; `advice`: isolation or visibility could be better.
 */
export interface PreflightFinding {
  readonly layer: 'checks' | 'connection' | 'process' | 'data' | 'server';
  readonly name: string;
  readonly outcome: 'held' | 'known' | 'open' | 'damaged' | 'advice';
  /** What fixes the finding, if anything does: on a server, SQL. */
  readonly fix?: string;
}
