// Reads the statements of a schema, and decides what each becomes.
import { outsideFinding } from '../../service/config/leads-outside.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { EngineSources } from '../../sql/clickhouse/outside-sources.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { readStatements } from './dump.ts';
import type { EngineSettings } from './engine-settings.ts';
import { statementFinding } from './findings.ts';
import { withoutOutside } from './outside.ts';
import { keyOf, type QualifiedName } from '../../sql/definition/qualified-name.ts';
import { normalise } from './normalise.ts';
import { SchemaError, type SchemaFile } from './schema-files.ts';
import type { SchemaStatement } from './script.ts';
import type { Normalised, Step } from './step.ts';
import { withoutVariables } from './without-variables.ts';

/** A step, and where it comes from. */
export interface PlannedStep {
  readonly statement: SchemaStatement;
  readonly step: Step;
  /** SQL around each attempt: settings, and the current database. */
  readonly before: string;
  readonly after: string;
}

export interface SchemaPlan {
  readonly steps: readonly PlannedStep[];
  /** Warnings about statements that are needed and not understood. */
  readonly findings: readonly Finding[];
  /** What those would have created, by `database.name`. */
  readonly broken: Map<string, Finding>;
  /** How many statements are left out, by kind. */
  readonly skipped: ReadonlyMap<string, number>;
}

export interface PlanOptions {
  /** The current database at the start of each file. */
  readonly database: string;
  readonly settings: EngineSettings;
  /** What statements may reach outside of the tables. */
  readonly engineSources: EngineSources;
}

const MAX_STATEMENTS = 20_000;

/** Throws SchemaError if there are too many statements. */
export function planSchema(
  files: readonly SchemaFile[],
  { database, settings, engineSources }: PlanOptions,
): SchemaPlan {
  const outside = files.filter(({ isOutside }) => isOutside).map(({ path }) => outsideFinding(path));
  const read = files.map(readStatements);
  const count = read.reduce((sum, { statements }) => sum + statements.length, 0);
  if (count > MAX_STATEMENTS) throw new SchemaError(`there are more than ${MAX_STATEMENTS} statements`);
  const plans = read.map(({ statements, isDump }) => {
    const session = new Map(isDump ? [['flatten_nested', '0']] : []);
    return planFile(statements, { database, session, settings, engineSources });
  });
  const skipped = new Map<string, number>();
  for (const kind of plans.flatMap((plan) => plan.skipped)) skipped.set(kind, (skipped.get(kind) ?? 0) + 1);
  return {
    steps: plans.flatMap(({ steps }) => steps),
    findings: [...outside, ...plans.flatMap(({ findings }) => findings)],
    broken: new Map(plans.flatMap(({ broken }) => broken)),
    skipped,
  };
}

interface FilePlan {
  readonly steps: PlannedStep[];
  readonly findings: Finding[];
  readonly broken: [string, Finding][];
  readonly skipped: string[];
}

interface Session {
  database: string;
  readonly session: Map<string, string>;
  readonly settings: EngineSettings;
  readonly engineSources: EngineSources;
}

function planFile(statements: readonly SchemaStatement[], state: Session): FilePlan {
  const plan: FilePlan = { steps: [], findings: [], broken: [], skipped: [] };
  for (const statement of statements) planStatement(statement, plan, state);
  return plan;
}

function planStatement(statement: SchemaStatement, plan: FilePlan, state: Session): void {
  const result = normalise(statement.sql, { database: state.database, treeSettings: state.settings.tree });
  const { finding, isLost } = withoutVariables(statement, result);
  if (finding !== undefined) plan.findings.push(finding);
  if (finding !== undefined && isLost) {
    const target = targetOf(result);
    if (target !== undefined) plan.broken.push([keyOf(target), finding]);
    return;
  }
  switch (result.kind) {
    case 'step':
      planStep(statement, result, plan, state);
      return;
    case 'skip':
      if (result.noted !== undefined) plan.skipped.push(result.noted);
      return;
    case 'use':
      state.database = result.database;
      return;
    case 'set':
      for (const [name, value] of result.settings) state.session.set(name, value);
      return;
    case 'unknown': {
      const finding = statementFinding(statement, result);
      plan.findings.push(finding);
      if (result.target !== undefined) plan.broken.push([keyOf(result.target), finding]);
    }
  }
}

/** What the statement would have created. */
function targetOf(result: Normalised): QualifiedName | undefined {
  if (result.kind === 'unknown') return result.target;
  return result.kind === 'step' && result.action === 'create' ? result.target : undefined;
}

/** Forms that reach outside of the tables are left out. */
function planStep(statement: SchemaStatement, result: Step, plan: FilePlan, state: Session): void {
  const { step, finding } = withoutOutside(statement, result, state.engineSources);
  if (step !== undefined) plan.steps.push({ statement, step, ...around(state) });
  if (finding === undefined) return;
  plan.findings.push(finding);
  if (step === undefined && result.action === 'create') plan.broken.push([keyOf(result.target), finding]);
}

/** The session's settings are reset, since the connection is used again. */
function around({ database, session, settings }: Session): Pick<PlannedStep, 'before' | 'after'> {
  const set = [...session].map(([name, value]) => `SET ${name} = ${value};\n`).join('');
  const reset = [...session.keys()].map((name) => `;\nSET ${name} = DEFAULT`).join('');
  const use = database === 'default' ? '' : `USE ${quoteIdentifier(database)};\n`;
  return {
    before: `${settings.session}${set}${use}`,
    after: `${reset}${use === '' ? '' : ';\nUSE default'}`,
  };
}
