// A check of an endpoint file: what the reference says about its code, and how it finds what it reports.
import { type Codes, type CodeText, MAX_FINDINGS, type PathFinding } from '../../../sql/base/finding.ts';
import { nearest } from '../../../sql/base/nearest.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import type { Analysis } from '../analysis.ts';

/** A check looks at one file, the files of a folder, what the engine says about a file, two revisions of a file, or a service that runs. */
export type Needs = 'file' | 'catalog' | 'engine' | 'pair' | 'service';

/** An entry of the table of checks: codes of findings, with what finds them. */
export interface CheckEntry<N extends Needs, Found, Input> {
  readonly needs: N;
  readonly codes: Codes;
  /** Undefined: what precedes all checks finds them, such as reading the file. */
  readonly check?: (input: Input) => Iterable<Found> | Promise<Iterable<Found>>;
}

/** Resolves to what the entries find, one after the other. */
export async function runEntries<N extends Needs, Found, Input>(
  entries: readonly CheckEntry<N, Found, Input>[],
  input: Input,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const { check } of entries) found.push(...((await check?.(input)) ?? []));
  return found;
}

/** Process configuration that checks need. */
export interface CheckContext {
  readonly piiHashKey: string | undefined;
  /** The sources that queries may reach outside of the tables. They are errors otherwise. */
  readonly engineSources: EngineSources;
  /** The time of examples without one of their own; milliseconds since 1970. */
  readonly now: () => number;
}

/** The nearest valid name; skipped for findings that are not shown. */
export type Guess = (word: string, candidates: Iterable<string>) => string | undefined;

/** A check that needs the file alone; `Input` is what is known about it. */
export interface FileCheck<Input = Analysis, Context = CheckContext> extends CodeText {
  /** Default: error. A finding may be less severe than its check. */
  readonly severity?: 'warning';
  /** Set if it looks at the query, and so at each variant of it. */
  readonly perVariant?: true;
  /** The key of the file that it is about: it does not run for a file without it. */
  readonly about?: 'watch';
  /** Set if it also applies to a shared file, whatever includes it. */
  readonly inShared?: true;
  readonly check: (input: Input, context: Context & { readonly guess: Guess }) => Iterable<UncodedFinding>;
}

/** By the code of their findings. */
export type FileChecks<Input = Analysis, Context = CheckContext> = Readonly<
  Record<string, FileCheck<Input, Context>>
>;

export type UncodedFinding = Omit<PathFinding, 'code'>;

/** The findings of checks about one input, each with the code and the severity of its check. */
export function runChecks<Input, Context>(
  checks: readonly (readonly [code: string, check: FileCheck<Input, Context>])[],
  input: Input,
  context: Context,
): readonly PathFinding[] {
  const found: PathFinding[] = [];
  for (const [code, { check, severity }] of checks) {
    const own = severity === undefined ? { code } : { code, severity };
    for (const finding of check(input, { ...context, guess: createGuess() }))
      found.push({ ...own, ...finding });
  }
  return found;
}

function createGuess(): Guess {
  let left = MAX_FINDINGS;
  return (word, candidates) => (left-- > 0 ? nearest(word, candidates) : undefined);
}
