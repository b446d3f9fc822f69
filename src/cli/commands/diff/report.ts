// The result of comparing two revisions, independent of the output format.
import { CHANGE_CLASSES } from '../../compare/change-kinds.ts';
import { needsReason, type Change } from '../../compare/changes.ts';
import type { EndpointComparison } from '../../compare/compare.ts';
import type { QueryImpact } from '../../compare/consumers/impact.ts';
import type { ListedExposure } from '../../compare/exposure.ts';
import type { Terminal } from '../../kit/terminal.ts';

export interface Report {
  /** Labels of the two sides. */
  readonly base: string;
  readonly head: string;
  readonly comparisons: readonly EndpointComparison[];
  /** Of the consumer queries, if there are any; the worst first. */
  readonly impacts: readonly QueryImpact[] | undefined;
  /** What was not compared, as sentences. */
  readonly notes: readonly string[];
  /** Lines of a unified diff. */
  readonly diffTexts: (before: string, after: string) => Promise<readonly string[]>;
}

export type PrintReport = (report: Report, terminal: Terminal) => Promise<void>;

/** What each new endpoint exposes, as far as it is known. */
export function exposuresOf({ comparisons }: Pick<Report, 'comparisons'>): readonly ListedExposure[] {
  return comparisons.flatMap(({ exposure }) => exposure ?? []);
}

export function changesOf({ comparisons }: Pick<Report, 'comparisons'>): readonly Change[] {
  return comparisons.flatMap(({ changes }) => changes);
}

/** Changes that require a reason and have none. */
export function openChanges(report: Pick<Report, 'comparisons'>): readonly Change[] {
  return changesOf(report).filter((change) => needsReason(change) && change.allowed === undefined);
}

/** `3 changes: 1 security, 2 compatible`. */
export function summaryOf(report: Pick<Report, 'comparisons'>): string {
  const changes = changesOf(report);
  if (changes.length === 0) return 'No contract changes';
  const counts = CHANGE_CLASSES.flatMap((kind) => {
    const some = changes.filter((change) => change.class === kind);
    const allowed = some.filter((change) => change.allowed !== undefined).length;
    return some.length === 0 ? [] : `${some.length} ${kind}${allowed > 0 ? ` (${allowed} allowed)` : ''}`;
  });
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${counts.join(', ')}`;
}

/** The message, with the file's reason if it allows the change. */
export function messageOf({ message, allowed }: Change): string {
  return allowed === undefined ? message : `${message} (allowed: ${allowed})`;
}
