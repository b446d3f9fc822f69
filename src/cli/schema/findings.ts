// Findings about the statements of a schema.
import type { Codes, Finding } from '../../sql/base/finding.ts';
import { nameIt } from '../../service/config/file-variables.ts';
import { didYouMean, misspelled, nearest } from '../../sql/base/nearest.ts';
import { positionAt } from '../../sql/base/position.ts';
import type { EngineError } from '../../service/engine/engine.ts';
import { engineSentence } from '../../service/engine/engine-sentence.ts';
import { quotedNames } from '../../guard/sandbox/engine-message.ts';
import { findInText } from '../../guard/sandbox/find-in-query.ts';
import { mentionsIn } from '../../sql/clickhouse/tree/lexemes.ts';
import type { QualifiedName } from '../../sql/definition/qualified-name.ts';
import type { SchemaStatement } from './script.ts';
import type { Unfilled } from './templates.ts';
import type { Normalised, Step } from './step.ts';

export const TABLE_CODES: Codes = {
  'tables.not_created': {
    title: 'A table of the schema could not be created',
    help: 'The message is that of the engine. Only endpoints that read the table are affected; their findings name this location.',
  },
  'tables.unknown_column': {
    title: 'A statement of the schema names a column that does not exist',
    help: 'A key, a version column, a default, TTL, an index, a projection or a constraint names it, in CREATE TABLE or ALTER TABLE, so that a server rejects the statement. For the analysis, the table is created without that part. Correct the name.',
  },
  'tables.unknown_table': {
    title: 'A statement of the schema names a table that no statement creates',
    help: 'A Distributed, Buffer or Alias table, a materialized view with TO, or a dictionary names it, and a table with a similar name exists. Correct the name.',
  },
  'tables.unknown_engine': {
    title: 'A table of the schema has an engine that does not exist',
    help: 'A server rejects the statement. For the analysis, the table has its columns, and no keys. Correct the name.',
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
  statement: SchemaStatement,
  { message, target, at = 0 }: Extract<Normalised, { readonly kind: 'unknown' }>,
): Finding {
  const what = target === undefined ? firstWords(statement.sql) : nameOf(target);
  const code = 'tables.unsupported';
  return findingAt(statement, at, { severity: 'warning', code, message: `${what}: ${message}` });
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

/** A statement with what becomes of it. */
interface PlannedStatement {
  readonly statement: SchemaStatement;
  readonly step: Step;
}

/** Warns about a table that no statement creates, at its name, if there is a similar name. */
export function unknownTable(
  { statement, step: { what, target, needs } }: PlannedStatement,
  created: readonly QualifiedName[],
): Finding | undefined {
  if (needs === undefined) return undefined;
  const tables = created.filter(({ name }) => name !== '' && name !== target.name);
  if (created.some(({ database, name }) => database === needs.database && name === needs.name))
    return undefined;
  const guess = nearestTable(needs, tables);
  const part = guess?.database === needs.database ? needs.name : needs.database;
  const place = findInText(statement.sql, nameOf(needs)) ?? findInText(statement.sql, part);
  if (guess === undefined || place === undefined) return undefined; // it may be on another server
  return findingAt(statement, place.start, {
    severity: 'warning',
    code: 'tables.unknown_table',
    message: `no statement creates ${nameOf(needs)}, which the ${what} ${nameOf(target)} names`,
    hint: `Did you mean ${nameOf(guess)}?`,
  });
}

/** Returns the table of the same database with the nearest name, or that of the same name in the nearest database. */
function nearestTable(
  { database, name }: QualifiedName,
  tables: readonly QualifiedName[],
): QualifiedName | undefined {
  const inDatabase = tables.filter((each) => each.database === database).map((each) => each.name);
  const same = tables.filter((each) => each.name === name).map((each) => each.database);
  const [nearName, nearDatabase] = [nearest(name, inDatabase), nearest(database, same)];
  if (nearName !== undefined) return { database, name: nearName };
  return nearDatabase === undefined ? undefined : { database: nearDatabase, name };
}

/** A warning at an engine that is none, and is named like one. */
export function unknownEngine(
  { statement, step: { target, engine } }: PlannedStatement,
  engines: ReadonlySet<string>,
): Finding | undefined {
  if (engine === undefined || engines.has(engine)) return undefined;
  const guess = misspelled(engine, engines);
  const place = findInText(statement.sql, engine);
  if (guess === undefined || place === undefined) return undefined;
  return findingAt(statement, place.start, {
    severity: 'warning',
    code: 'tables.unknown_engine',
    message: `there is no engine ${engine}, so that a server rejects the table ${nameOf(target)}`,
    hint: `Did you mean ${guess}?`,
  });
}

/** These codes mean a missing table or database, which is the fault of another statement. */
export const MISSING: ReadonlySet<number | undefined> = new Set([60, 81]);

/** Any of these may have been meant: types, and all that statements name; tables have their databases. */
export interface KnownNames {
  readonly names: () => Iterable<string>;
  readonly tables: () => Iterable<string>;
}

/** A warning at a statement that the engine rejected, at the name in the engine's message if the statement has it. */
export function rejection(
  { statement, step }: PlannedStatement,
  failure: EngineError | undefined,
  { names, tables }: KnownNames,
): Finding {
  const { sql } = statement;
  const message = failure?.message ?? '';
  const named = /(?:data type family|could not find table): (\w+)|cannot find column (\w+)/i.exec(message);
  const unquoted = named?.slice(1).find((each) => each !== undefined);
  const own = unquoted === step.target.name ? [nameOf(step.target)] : [];
  const [found] = (unquoted === undefined ? quotedNames(message) : [...own, unquoted])
    .flatMap((name) => [name, name.split('.').at(-1) ?? name])
    .flatMap((name) => {
      const start = findInText(sql, name)?.start;
      return start === undefined ? [] : [{ name, start }];
    });
  const [last = ''] = (found?.name ?? '').split('.').slice(-1);
  const isTable = MISSING.has(failure?.engineCode);
  const written = isTable ? (found?.name ?? '') : last;
  const hint = didYouMean(
    nearest(
      written,
      [...(isTable ? tables() : names())].filter((name) => name !== written),
    ),
  );
  const done = { create: 'created', change: 'changed', remove: 'removed' }[step.action];
  return findingAt(statement, found?.start ?? 0, {
    severity: 'warning',
    code: 'tables.not_created',
    message: `${step.what} ${nameOf(step.target)} could not be ${done}: ${engineSentence(message)}`,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** A column in a message about a key, an argument of the table's engine, or an expression. */
const MISSING_COLUMN =
  /Missing columns: '([^']+)'|[Cc]olumn (\w+) (?:listed in [\w ]+ )?(?:does not exist|in table\b)|identifier `([^`]+)`/;

/** A warning at a column that a statement names and that its table does not have: it was carried out without what names it. */
export function unknownColumn(
  { statement, step: { what, target } }: PlannedStatement,
  reason: EngineError | undefined,
  names: () => Iterable<string>,
): Finding | undefined {
  const name = MISSING_COLUMN.exec(reason?.message ?? '')
    ?.slice(1)
    .find((each) => each !== undefined);
  const place = name === undefined ? undefined : findInText(statement.sql, name);
  if (name === undefined || place === undefined) return undefined;
  const others = (all: Iterable<string>): readonly string[] => [...all].filter((each) => each !== name);
  const hint = didYouMean(nearest(name, others(namesIn(statement))) ?? nearest(name, others(names())));
  return findingAt(statement, place.start, {
    severity: 'warning',
    code: 'tables.unknown_column',
    message: `${what} ${nameOf(target)} has no column ${name}, so that a server rejects the statement`,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Words in capitals are keywords. */
export function namesIn({ sql }: SchemaStatement): readonly string[] {
  return mentionsIn(sql)
    .flatMap(({ kind, value }) => (kind === 'name' ? [value] : []))
    .filter((each) => !/^[A-Z]+$/.test(each));
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
