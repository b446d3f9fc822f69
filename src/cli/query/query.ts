// `millrace query`: runs one endpoint from the shell, through the same path as an HTTP request, or on a running service.
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings.ts';
import type { Observe } from '../../core/observation.ts';
import { Problem } from '../../core/problem.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Prepared } from '../../request/answer.ts';
import { localCall } from '../../request/call.ts';
import { CommandError } from '../command-error.ts';
import { withLocal, type LocalDeps } from '../local.ts';
import { linesOf, membersOf, plainText } from '../../format/members.ts';
import { count } from '../findings/findings.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { splitPair } from '../token/token.ts';
import { callService, ServiceProblem, type ProblemText, type ServiceAddress } from './remote.ts';

export interface QueryOptions {
  readonly settings: Settings;
  readonly endpoint: string;
  /** `name=value` pairs. */
  readonly parameters: readonly string[];
  readonly sql: string | undefined;
  readonly lql: string | undefined;
  readonly output: 'table' | 'json' | 'csv';
  /** Print the statement and its query plan instead of rows. */
  readonly explain: boolean;
  readonly observe: Observe;
}

const IN_USE = 'Ask the running service instead: --url http://127.0.0.1:4000, with a key in MILLRACE_KEY';

/**
 * Runs the endpoint in this process and prints its rows; with `explain`, prints the statement and the engine's query
 * plan.
 */
export async function query(options: QueryOptions, deps: LocalDeps): Promise<void> {
  const call = localCall(
    { requestId: randomUUID(), endpoint: options.endpoint },
    fieldsOf(options),
    options.output === 'csv' ? 'csv' : 'ndjson',
  );
  const { terminal } = deps;
  await withLocal({ ...options, whenInUse: IN_USE }, deps, async ({ path }, engine) => {
    if (options.explain) return explain(await path.prepare(call), engine, terminal);
    const { body, rows, truncated, timing } = await path.answer(call);
    print(body, options.output, terminal);
    terminal.note(summaryOf({ rows, truncated, engine: timing.engine }));
  }).catch((error: unknown) => {
    throw error instanceof Problem ? new CommandError(describeProblem(error), { cause: error }) : error;
  });
}

/** Calls the endpoint on a running service and prints its rows; with `explain`, prints the query that it would run. */
export async function queryService(
  address: ServiceAddress,
  options: Omit<QueryOptions, 'settings' | 'observe'>,
  terminal: Terminal,
): Promise<void> {
  const { endpoint, output, explain: isExplained } = options;
  const accept = isExplained ? 'application/json' : output === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const route = isExplained ? 'explain' : 'query';
  const { body, truncated, engine } = await callService(address, {
    route,
    endpoint,
    fields: fieldsOf(options),
    accept,
  }).catch((error: unknown) => {
    if (!(error instanceof ServiceProblem)) throw error;
    throw new CommandError(describeProblem(error.problem), { cause: error });
  });
  if (isExplained) return terminal.print((JSON.parse(body.toString()) as { sql: string }).sql);
  print(body, output, terminal);
  const rows = output === 'csv' ? undefined : linesOf(body).length;
  terminal.note(summaryOf({ rows, truncated, engine }));
}

/** For example `7 rows, 12 ms in the engine`. Rows of CSV from a service are not counted. */
function summaryOf(answer: {
  readonly rows: number | undefined;
  readonly truncated: boolean;
  readonly engine: number | undefined;
}): string {
  return [
    ...(answer.rows === undefined ? [] : [count(answer.rows, 'row')]),
    ...(answer.truncated ? ['truncated at the maximum'] : []),
    ...(answer.engine === undefined ? [] : [`${answer.engine.toFixed(0)} ms in the engine`]),
  ].join(', ');
}

function fieldsOf({
  parameters,
  sql,
  lql,
}: Pick<QueryOptions, 'parameters' | 'sql' | 'lql'>): ReadonlyMap<string, readonly string[]> {
  const own: [string, string | undefined][] = [
    ['sql', sql],
    ['lql', lql],
  ];
  const fields = new Map<string, string[]>();
  for (const [name, value] of [...parameters.map(splitPair), ...own]) {
    if (value !== undefined) fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return fields;
}

async function explain({ plan }: Prepared, engine: Engine, { print, paint }: Terminal): Promise<void> {
  const { sql, parameters } = plan.statement;
  print(sql);
  for (const [name, value] of Object.entries(parameters))
    print(paint('dim', `-- ${name} = ${value ?? 'NULL'}`));
  print('');
  const statement = { ...plan.statement, sql: `EXPLAIN indexes = 1 ${sql}` };
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  for await (const chunk of chunks) {
    const lines = Buffer.from(chunk).toString().trimEnd().split('\n');
    for (const line of lines) print((JSON.parse(line) as [string])[0]); // one string column
  }
}

/** Prints the bytes of the service's own formats: parsing JSON numbers would lose digits. */
function print(body: Buffer, output: QueryOptions['output'], terminal: Terminal): void {
  if (output === 'csv') return terminal.write(body.toString());
  const rows = linesOf(body);
  if (output === 'json') {
    return terminal.print(rows.length === 0 ? '[]' : `[\n  ${rows.join(',\n  ')}\n]`);
  }
  const [first] = rows;
  if (first === undefined) return;
  const header = membersOf(first).map(({ name }) => name);
  const cells = rows.map((row) => membersOf(row).map(({ value }) => plainText(value)));
  for (const line of renderTable([header, ...cells])) terminal.print(line);
}

function describeProblem(problem: Problem | ProblemText): string {
  const errors = problem.errors.map(({ parameter, line, column, message }) => {
    const location = parameter ?? (line === undefined ? '' : `${line}:${column ?? 1}`);
    return `\n  ${location === '' ? '' : `${location}: `}${message}`;
  });
  const isFailure = problem instanceof Problem && problem.status >= 500;
  const cause = isFailure && problem.cause instanceof Error ? `\n  ${problem.cause.message}` : '';
  return `${problem.message} (${problem.code})${errors.join('')}${cause}\n  ${problem.hint}`;
}
