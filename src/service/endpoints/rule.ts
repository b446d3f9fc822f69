// A rule about an endpoint file: what it gets, and what it is.
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import type { Analysis } from './analysis.ts';
import type { RuleFinding } from './analysis.ts';

/** Process configuration that rules need. */
export interface RuleContext {
  readonly piiHashKey: string | undefined;
  /** The sources that queries may reach outside of the tables. They are errors otherwise. */
  readonly engineSources: EngineSources;
  /** The time of examples without one of their own; milliseconds since 1970. */
  readonly now: () => number;
}

/** The nearest valid name; skipped for findings that are not shown. */
export type Guess = (word: string, candidates: Iterable<string>) => string | undefined;

export type Rule = (
  analysis: Analysis,
  context: RuleContext & { readonly guess: Guess },
) => Iterable<UncodedFinding>;

export type UncodedFinding = Omit<RuleFinding, 'code'>;
