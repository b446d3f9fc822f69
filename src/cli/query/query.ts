// `millrace query`: runs one endpoint from the shell, through the same path as an HTTP request.
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings.ts';
import type { Observe } from '../../core/observation.ts';
import { Problem } from '../../core/problem.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Prepared } from '../../request/answer.ts';
import { localCall, type CallContent } from '../../request/call.ts';
import { CommandError } from '../command-error.ts';
import { withLocal, type LocalDeps } from '../local.ts';
import { linesOf, membersOf, plainText } from '../../format/members.ts';
import { count } from '../findings/findings.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { splitPair } from '../token/token.ts';

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

/** Runs the endpoint and prints its rows; with `explain`, prints the statement and the engine's query plan. */
export async function query(options: QueryOptions, deps: LocalDeps): Promise<void> {
  const call = localCall(
    { requestId: randomUUID(), endpoint: options.endpoint },
    fieldsOf(options),
    options.output === 'csv' ? 'csv' : 'ndjson',
  );
  const { terminal } = deps;
  await withLocal(options, deps, async ({ path }, engine) => {
    if (options.explain) return explain(await path.prepare(call), engine, terminal);
    const answer = await path.answer(call);
    print(answer.body, options.output, terminal);
    const cut = answer.truncated ? ' (truncated at the maximum)' : '';
    terminal.note(`${count(answer.rows, 'row')}${cut}, ${answer.timing.engine.toFixed(0)} ms in the engine`);
  }).catch((error: unknown) => {
    throw error instanceof Problem ? new CommandError(describeProblem(error), { cause: error }) : error;
  });
}

function fieldsOf({ parameters, sql, lql }: QueryOptions): CallContent['fields'] {
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

function describeProblem(problem: Problem): string {
  const errors = problem.errors.map(({ parameter, line, column, message }) => {
    const location = parameter ?? (line === undefined ? '' : `${line}:${column ?? 1}`);
    return `\n  ${location === '' ? '' : `${location}: `}${message}`;
  });
  const cause = problem.status >= 500 && problem.cause instanceof Error ? `\n  ${problem.cause.message}` : '';
  return `${problem.message} (${problem.code})${errors.join('')}${cause}\n  ${problem.hint}`;
}
