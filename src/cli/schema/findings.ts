// Findings about the statements of a schema.
import type { Codes, Finding } from '../../sql/base/finding.ts';
import { nameIt } from '../../service/config/file-variables.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import { positionAt } from '../../sql/base/position.ts';
import type { EngineError } from '../../service/engine/engine.ts';
import { engineSentence } from '../../service/engine/engine-sentence.ts';
import { quotedNames } from '../../guard/sandbox/engine-message.ts';
import { findInText } from '../../guard/sandbox/find-in-query.ts';
import { mentionsIn } from '../../sql/clickhouse/tree/lexemes.ts';
import type { QualifiedName } from '../../sql/definition/qualified-name.ts';
import type { SchemaStatement } from './script.ts';
import type { Unfilled } from './templates.ts';
import type { Step } from './step.ts';

export const TABLE_CODES: Codes = {
  'tables.not_created': {
    title: 'A table of the schema could not be created',
    help: 'The message is that of the engine. Only endpoints that read the table are affected; their findings name this location.',
  },
  'tables.unknown_column': {
    title: 'A statement of the schema names a column that does not exist',
    help: 'A key, a version column, a default, TTL, an index or a projection names it, so that a server rejects the statement. For the analysis, the table is created without that part. Correct the name.',
  },
  'tables.unsupported': {
    title: 'A statement of the schema is not supported',
    help: 'What it creates does not exist for the analysis. If an endpoint reads it, add a CREATE TABLE statement with its columns to the schema.',
  },
  'tables.missing_variable': {
    title: 'A placeholder of the schema has no value',
    help: 'Commands that check files read only the environment variables that the person who runs them names: --variables, or MILLRACE_VARIABLES. The value may have letters, digits, _, . and -. The statement is not carried out; with a placeholder in a string it is, as written, and the finding is a warning.',
  },
};

/** A warning at a statement that is needed and not understood. */
export function statementFinding(
  { file, line, column, sql }: SchemaStatement,
  message: string,
  target: QualifiedName | undefined,
): Finding {
  const what = target === undefined ? firstWords(sql) : nameOf(target);
  const code = 'tables.unsupported';
  return { file, line, column, severity: 'warning', code, message: `${what}: ${message}` };
}

/** The finding at a placeholder without a value; an error if the statement is not carried out. */
export function variableFinding(
  statement: SchemaStatement,
  { placeholder, name, start, isString }: Unfilled,
): Finding {
  return findingAt(statement, start, {
    severity: isString ? 'warning' : 'error',
    code: 'tables.missing_variable',
    message: `${placeholder} has no value: the environment variable ${name} is not named, not set, or not a word${isString ? '; it stays as written' : ''}`,
    hint: `Name it where the command runs: ${nameIt(name)}; its value may have letters, digits, _, . and -`,
  });
}

/** A warning at a statement that the engine rejected, at the name in the engine's message if the statement has it. */
export function rejection(statement: SchemaStatement, step: Step, failure: EngineError | undefined): Finding {
  const { sql } = statement;
  const message = failure?.message ?? '';
  const type = /data type family: (\w+)/.exec(message)?.[1];
  const offset = (type === undefined ? quotedNames(message) : [type])
    .flatMap((name) => [name, name.split('.').at(-1) ?? name])
    .map((name) => findInText(sql, name)?.start)
    .find((start) => start !== undefined);
  const done = { create: 'created', change: 'changed', remove: 'removed' }[step.action];
  return findingAt(statement, offset ?? 0, {
    severity: 'warning',
    code: 'tables.not_created',
    message: `${step.what} ${nameOf(step.target)} could not be ${done}: ${engineSentence(message)}`,
  });
}

/** A column in a message about a key, an argument of the table's engine, or an expression. */
const MISSING_COLUMN =
  /Missing columns: '([^']+)'|[Cc]olumn (\w+) (?:listed in [\w ]+ )?does not exist|identifier `([^`]+)`/;

/** A warning at a column that a statement names and that its table does not have: it was carried out without what names it. */
export function unknownColumn(
  statement: SchemaStatement,
  { what, target, action }: Step,
  reason: EngineError | undefined,
): Finding | undefined {
  const name = MISSING_COLUMN.exec(reason?.message ?? '')
    ?.slice(1)
    .find((each) => each !== undefined);
  const place = name === undefined ? undefined : findInText(statement.sql, name);
  if (name === undefined || place === undefined || action !== 'create') return undefined;
  const others = mentionsIn(statement.sql)
    .flatMap(({ kind, value }) => (kind === 'name' ? [value] : []))
    .filter((each) => each !== name && !/^[A-Z]+$/.test(each)); // keywords
  const hint = didYouMean(nearest(name, others));
  return findingAt(statement, place.start, {
    severity: 'warning',
    code: 'tables.unknown_column',
    message: `${what} ${nameOf(target)} has no column ${name}, so that a server rejects the statement`,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** A finding at an offset into a statement. */
export function findingAt(
  { file, line, column: first, sql, isRow }: SchemaStatement,
  offset: number,
  what: Pick<Finding, 'severity' | 'code' | 'message' | 'hint'>,
): Finding {
  const inside = positionAt(sql, isRow === true ? 0 : offset);
  const column = inside.line === 1 ? first + inside.column - 1 : inside.column;
  return { file, line: line + inside.line - 1, column, ...what };
}

function nameOf({ database, name }: QualifiedName): string {
  return [database, name].filter((part) => part !== '').join('.');
}

function firstWords(sql: string): string {
  return sql.replace(/\s+/g, ' ').slice(0, 60);
}
