// What of a step reaches outside of the tables: such forms of a statement are never sent to the engine.
import type { Codes, Finding } from '../../sql/base/finding.ts';
import { OUTSIDE_SOURCES, type EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import { outsideReads, type OutsideRead } from '../../sql/clickhouse/outside-reads.ts';
import { findingAt } from './findings.ts';
import type { SchemaStatement } from './script.ts';
import type { Step } from './step.ts';

export const OUTSIDE_TABLE_CODES: Codes = {
  'tables.reads_outside': {
    title: 'A statement of the schema reaches files, the network or programs',
    help: 'It is not carried out. As a warning: the table has the columns that the statement names, without what it reads. Engines and dictionaries that are replaced by empty tables have no such finding. The setting engine_sources (MILLRACE_ENGINE_SOURCES, --engine-sources) names what may be reached: it belongs to the person or the service that runs the files.',
  },
};

/** The step without these forms, and the finding about them; no step: no form is left. */
export interface InsideStep {
  readonly step: Step | undefined;
  readonly finding: Finding | undefined;
}

/** Checks what the engine would get, not what is written: engines and sources that are replaced reach nothing. */
export function withoutOutside(statement: SchemaStatement, step: Step, allowed: EngineSources): InsideStep {
  const inside = step.attempts.filter((sql) => outsideReads(sql, allowed).length === 0);
  if (inside.length === step.attempts.length) return { step, finding: undefined };
  const reads = step.attempts.flatMap((sql) => outsideReads(sql, allowed));
  const [read] = reads;
  if (read === undefined) return { step, finding: undefined }; // there is one, since a form was left out
  const isLost = inside.length === 0;
  const whats = new Set(reads.map(({ what }) => what));
  const place = outsideReads(statement.sql, allowed).find(({ what }) => whats.has(what));
  const finding = findingAt(statement, place?.start ?? 0, {
    severity: isLost ? 'error' : 'warning',
    code: 'tables.reads_outside',
    ...explain(place ?? read, step, isLost),
  });
  return { step: isLost ? undefined : { ...step, attempts: inside }, finding };
}

function explain(
  { what, source }: OutsideRead,
  { what: kind }: Step,
  isLost: boolean,
): Pick<Finding, 'message' | 'hint'> {
  const reached = source === undefined ? 'what is not known before it runs' : OUTSIDE_SOURCES[source].title;
  const message = `${what} reaches ${reached}, outside of the tables: the ${kind} ${isLost ? 'is not created' : 'has its columns only'}`;
  const hint =
    source === undefined
      ? 'Remove it, or write a CREATE TABLE with its columns'
      : `Write a CREATE TABLE with its columns; or name the source where the command runs: MILLRACE_ENGINE_SOURCES=${source}`;
  return { message, hint };
}
