// Which consumer queries a change affects, independent of the output format.
import { IMPACTS, type Impact, type ImpactReason, type QueryImpact } from '../../compare/consumers/impact.ts';
import { positionAt, type Position } from '../../../sql/base/position.ts';
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';

export interface ImpactReport {
  /** Labels of the two revisions. */
  readonly base: string;
  readonly head: string;
  /** The worst first, otherwise in the order of the files. */
  readonly impacts: readonly QueryImpact[];
  readonly notes: readonly string[];
}

export type PrintImpact = (report: ImpactReport, terminal: Terminal) => void | Promise<void>;

export function sortImpacts(impacts: readonly QueryImpact[]): readonly QueryImpact[] {
  return impacts.toSorted((a, b) => IMPACTS.indexOf(a.impact) - IMPACTS.indexOf(b.impact));
}

/** What has to be listed: everything but queries that are not affected. */
export function listed(impacts: readonly QueryImpact[]): readonly QueryImpact[] {
  return impacts.filter(({ impact }) => impact !== 'unaffected');
}

export function countImpact(impacts: readonly QueryImpact[], impact: Impact): number {
  return impacts.filter((each) => each.impact === impact).length;
}

const NOUNS: Readonly<Record<Impact, (count: number) => string>> = {
  breaks: (number) => `${number} ${number === 1 ? 'breaks' : 'break'}`,
  unknown: (number) => `${number} unknown`,
  affected: (number) => `${number} affected`,
  unaffected: (number) => `${number} unaffected`,
};

/** `12 consumer queries: 2 break, 1 unknown, 9 unaffected`. */
export function summaryOf(impacts: readonly QueryImpact[]): string {
  const counts = IMPACTS.flatMap((impact) => {
    const number = countImpact(impacts, impact);
    return number === 0 ? [] : NOUNS[impact](number);
  });
  return [count(impacts.length, 'consumer query', 'consumer queries'), counts.join(', ')]
    .filter(Boolean)
    .join(': ');
}

/** Where the query has the name that a reason is about: the first occurrence as a whole word. */
export function locate({ query }: QueryImpact, { name }: ImpactReason): Position | undefined {
  if (name === undefined) return undefined;
  const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const found = new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`, 'i').exec(query.text);
  return found === null ? undefined : positionAt(query.text, found.index);
}

/** The message, with the location in the query if it is known. */
export function messageOf(impact: QueryImpact, reason: ImpactReason): string {
  const at = locate(impact, reason);
  return at === undefined ? reason.message : `${reason.message} (line ${at.line}, column ${at.column})`;
}
