// The severities that a filter selects, as one clause that matches the level of a row as the histogram counts it.
import { fieldOf } from './fields.ts';
import type { QueryPart } from '../../../src/sql/lql/alternatives.ts';
import { append, partsOf, remove, replace } from './lql-edit.ts';
import { unnameable, writePath } from './lql-path.ts';
import type { LogQuestion } from './questions.ts';
import { SEVERITIES, severityPattern, type Severity } from './severity.ts';
import { tableOf } from './view.ts';

export interface LevelField {
  readonly path: string;
  readonly isNumber: boolean;
}

/** Returns undefined if the view has no level or LQL cannot name it. */
export function levelField({ view, endpoint }: LogQuestion): LevelField | undefined {
  const { level } = view;
  if (level === undefined || unnameable(level) !== undefined) return undefined;
  const table = tableOf(view, endpoint);
  return { path: level, isNumber: table !== undefined && fieldOf(table, level)?.kind === 'number' };
}

/** All of them if the filter has no such clause. */
export function severitiesOf(filter: string, level: LevelField): readonly Severity[] {
  const clause = clauseOf(filter, level);
  const text = clause && filter.slice(clause.start, clause.end);
  return CHOICES.find((choice) => text === clauseText(choice, level)) ?? SEVERITIES;
}

/** The filter with these severities; none or all of them: without such a clause. */
export function withSeverities(filter: string, level: LevelField, severities: readonly Severity[]): string {
  const clause = clauseOf(filter, level);
  const isAll = severities.length === 0 || severities.length === SEVERITIES.length;
  if (isAll) return clause === undefined ? filter : remove(filter, clause);
  const text = clauseText(severities, level);
  return clause === undefined ? append(filter, text) : replace(filter, clause, text);
}

/** Each set of severities but none and all. */
const CHOICES: readonly (readonly Severity[])[] = Array.from(
  { length: 2 ** SEVERITIES.length - 2 },
  (_, index) => SEVERITIES.filter((_severity, bit) => ((index + 1) >> bit) % 2 === 1),
);

function clauseOf(filter: string, level: LevelField): QueryPart | undefined {
  const texts = new Set(CHOICES.map((choice) => clauseText(choice, level)));
  return partsOf(filter).find(({ start, end }) => texts.has(filter.slice(start, end)));
}

/** Levels that are not known, or not there, are those that no pattern finds. */
function clauseText(severities: readonly Severity[], { path, isNumber }: LevelField): string {
  const hasOther = severities.includes('other');
  const found = hasOther ? SEVERITIES.filter((each) => !severities.includes(each)) : severities;
  return `${hasOther ? '-' : ''}${writePath(path)}:~"${severityPattern(found, isNumber)}"`;
}
