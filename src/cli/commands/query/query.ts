// `millrace query`: runs one endpoint from the shell, through the same path as an HTTP request, or on a running service.
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../../service/config/settings.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import type { Prepared } from '../../../service/request/answer.ts';
import { localCall, type Call } from '../../../service/request/call.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { CommandError } from '../../kit/command-error.ts';
import { withLocal, type LocalDeps } from '../../kit/local.ts';
import { elementsOf, linesOf, membersOf, plainText } from '../../../service/formats/members.ts';
import { count } from '../../findings/findings.ts';
import { renderTable } from '../../kit/table.ts';
import {
  callService,
  membersIn,
  NoResponseError,
  problemIn,
  type ProblemText,
  type ServiceAddress,
  type ServiceCall,
  type ServiceResponse,
} from '../../kit/service-client.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { splitPair } from '../../kit/name-value.ts';
import { printAllPages } from './all-pages.ts';
import type { QueryOutput, QueryReply } from './reply.ts';

export interface QueryOptions {
  readonly settings: Settings;
  readonly endpoint: string;
  /** `name=value` pairs. */
  readonly parameters: readonly string[];
  readonly sql: string | undefined;
  readonly lql: string | undefined;
  readonly output: QueryOutput;
  /** Print the statement and its query plan instead of rows. */
  readonly explain: boolean;
  /** Print metadata too. */
  readonly meta: boolean;
  /** Print the rows of all pages, until there are so many; undefined: those of one page. */
  readonly allPages: number | undefined;
  readonly observe: Observe;
}

/** How commands of an author run an endpoint. */
export const LOCAL = {
  whenInUse: 'Ask the running service instead: --url http://127.0.0.1:4000, with a key in MILLRACE_KEY',
  isAuthoring: true,
};

/**
 * Runs the endpoint in this process and prints its rows; with `explain`, prints the statement and the engine's query
 * plan.
 */
export async function query(options: QueryOptions, deps: LocalDeps): Promise<void> {
  const callAfter = (cursor: string | undefined): Call =>
    localCall(
      { requestId: randomUUID(), endpoint: options.endpoint },
      fieldsOf(options, cursor),
      formatOf(options),
      options.meta ? 'preferred' : undefined,
    );
  const { terminal } = deps;
  const first = callAfter(undefined); // before the engine starts: a pair may be invalid
  await withLocal({ ...options, ...LOCAL }, deps, async ({ path, rejected }, engine) => {
    try {
      if (options.explain) return await explain(await path.prepare(first), engine, terminal);
      const ask = async (cursor: string | undefined): Promise<QueryReply> => {
        const { body, rows, truncated, timing, next } = await path.answer(callAfter(cursor));
        return { body, rows, truncated, next, engine: timing.engine };
      };
      await printReplies(ask, options, terminal);
    } catch (error) {
      throw error instanceof Problem ? localError(error, rejected()) : error;
    }
  });
}

const ACCEPT = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' } as const;
/** ms; beyond the longest time that a service gives a query. */
const TIMEOUT_MS = 600_000;

/** Calls the endpoint on a running service and prints its rows; with `explain`, prints the query that it would run. */
export async function queryService(
  address: ServiceAddress,
  options: Omit<QueryOptions, 'settings' | 'observe'>,
  terminal: Terminal,
): Promise<void> {
  const { endpoint, output, meta, explain: isExplained } = options;
  const bodyAfter = (cursor: string | undefined): URLSearchParams => formOf(fieldsOf(options, cursor));
  const common = { endpoint, timeoutMs: TIMEOUT_MS };
  if (isExplained) {
    const call = {
      ...common,
      route: 'explain',
      accept: 'application/json',
      body: bodyAfter(undefined),
    } as const;
    const sql = explainedIn({ ...(await answerOf(address, call)), url: address.url });
    for (const line of sql.split('\n')) terminal.print(line);
    return;
  }
  const call = {
    ...common,
    route: 'query',
    accept: ACCEPT[formatOf(options)],
    prefer: meta ? 'metadata' : undefined,
  } as const;
  const ask = async (cursor: string | undefined): Promise<QueryReply> => {
    const { body, headers } = await answerOf(address, { ...call, body: bodyAfter(cursor) });
    const engine = /(?:^|,)\s*engine;dur=([\d.]+)/.exec(headers.get('Server-Timing') ?? '')?.[1];
    return {
      body,
      rows: output === 'csv' ? undefined : rowsIn(body, options).length,
      truncated: headers.has('Millrace-Truncated'),
      next: /[?&]cursor=([\w-]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1],
      engine: engine === undefined ? undefined : Number(engine),
    };
  };
  await printReplies(ask, options, terminal);
}

/** Prints the rows of the page that is asked for, or of all pages from there on. */
async function printReplies(
  ask: (cursor: string | undefined) => Promise<QueryReply>,
  options: Pick<QueryOptions, 'output' | 'meta' | 'allPages'>,
  terminal: Terminal,
): Promise<void> {
  const { output, allPages } = options;
  if (allPages !== undefined) {
    const printTable = (rows: readonly string[]): void => printRows(rows, 'table', terminal);
    return printAllPages(ask, { output, maxRows: allPages, printTable }, terminal);
  }
  const reply = await ask(undefined);
  print(reply.body, options, terminal);
  terminal.note(summaryOf(reply));
}

function explainedIn({ body, url }: ServiceResponse & Pick<ServiceAddress, 'url'>): string {
  const { result } = membersIn(body);
  const sql = typeof result === 'object' && result !== null && 'sql' in result ? result.sql : undefined;
  if (typeof sql !== 'string') throw new CommandError(`${url} responded with no query`);
  return sql;
}

/** A successful response. Rejects with CommandError. */
async function answerOf(address: ServiceAddress, call: ServiceCall): Promise<ServiceResponse> {
  const { url } = address;
  const response = await callService(address, call).catch((cause: unknown) => {
    if (!(cause instanceof NoResponseError)) throw cause;
    throw new CommandError(`No response from ${url}: ${cause.message}`, { cause });
  });
  if (response.status === 200) return response;
  throw rejectionIn(response, url);
}

/** What a response with another status than 200 says. */
export function rejectionIn({ status, body }: ServiceResponse, url: string): CommandError {
  const problem = problemIn(body);
  if (problem === undefined)
    return new CommandError(`${url} responded with ${status}, and is not a Millrace service`);
  return problemError(problem);
}

/** For example `7 rows, 12 ms in the engine`. Rows of CSV from a service are not counted. */
function summaryOf(answer: QueryReply): string {
  return [
    ...(answer.rows === undefined ? [] : [count(answer.rows, 'row')]),
    ...(answer.truncated ? ['truncated at the maximum'] : []),
    ...(answer.engine === undefined ? [] : [`${answer.engine.toFixed(0)} ms in the engine`]),
    ...(answer.next === undefined ? [] : [`next page: cursor=${answer.next}`]),
  ].join(', ');
}

export function formOf(fields: ReadonlyMap<string, readonly string[]>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of fields) for (const value of values) form.append(name, value);
  return form;
}

/** `cursor` replaces that of the parameters. */
export function fieldsOf(
  { parameters, sql, lql }: Pick<QueryOptions, 'parameters' | 'sql' | 'lql'>,
  cursor?: string,
): ReadonlyMap<string, readonly string[]> {
  const own: [string, string | undefined][] = [
    ['sql', sql],
    ['lql', lql],
  ];
  const fields = new Map<string, string[]>();
  for (const [name, value] of [...parameters.map(splitPair), ...own]) {
    if (value !== undefined) fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return cursor === undefined ? fields : fields.set('cursor', [cursor]);
}

async function explain({ plan }: Prepared, engine: Engine, { print, paint }: Terminal): Promise<void> {
  const { sql, parameters } = plan.statement;
  for (const line of sql.split('\n')) print(line);
  for (const [name, value] of Object.entries(parameters))
    print(paint('dim', `-- ${name} = ${value ?? 'NULL'}`));
  print('');
  const rows = await readRows(engine, `EXPLAIN indexes = 1 ${sql}`, plan.statement);
  for (const [line] of rows as readonly [string][]) print(line); // one string column
}

function formatOf({ output, meta }: Pick<QueryOptions, 'output' | 'meta'>): 'csv' | 'json' | 'ndjson' {
  if (output === 'csv') return 'csv';
  return meta ? 'json' : 'ndjson';
}

/** The raw JSON text of the rows. */
function rowsIn(body: Buffer, { meta }: Pick<QueryOptions, 'meta'>): readonly string[] {
  return meta ? elementsOf(memberIn(body, 'result')) : linesOf(body);
}

function memberIn(body: Buffer, name: string): string {
  return membersOf(body.toString()).find((each) => each.name === name)?.value ?? '';
}

/** Prints the bytes of the service's own formats: parsing JSON numbers would lose digits. */
function print(body: Buffer, options: Pick<QueryOptions, 'output' | 'meta'>, terminal: Terminal): void {
  const { output, meta } = options;
  if (output === 'csv') return terminal.write(body.toString());
  if (output === 'json' && meta) return terminal.write(`${body.toString()}\n`);
  const rows = rowsIn(body, options);
  printRows(rows, output, terminal);
  if (meta) printMetadata(memberIn(body, 'meta'), terminal);
}

/** The columns as a table, and the rest as JSON. */
function printMetadata(text: string, terminal: Terminal): void {
  const members = membersOf(text);
  const columns = elementsOf(members.find(({ name }) => name === 'columns')?.value ?? '');
  const cells = columns.map((column) => membersOf(column).map(({ value }) => plainText(value)));
  terminal.print('');
  for (const line of renderTable([['column', 'type'], ...cells])) terminal.print(line);
  terminal.print('');
  for (const { name, value } of members) if (name !== 'columns') terminal.print(`${name}: ${value}`);
}

export function printRows(rows: readonly string[], output: 'table' | 'json', terminal: Terminal): void {
  if (output === 'json') {
    return terminal.write(rows.length === 0 ? '[]\n' : `[\n  ${rows.join(',\n  ')}\n]\n`);
  }
  const [first] = rows;
  if (first === undefined) return;
  const header = membersOf(first).map(({ name }) => name);
  const cells = rows.map((row) => membersOf(row).map(({ value }) => plainText(value)));
  for (const line of renderTable([header, ...cells])) terminal.print(line);
}

/** A problem as an error of the command: its message, then what is wrong where, the cause and the hint. */
export function problemError(problem: Problem | ProblemText): CommandError {
  const errors = problem.errors.map(({ parameter, line, column, message }) => {
    const location = parameter ?? (line === undefined ? '' : `${line}:${column ?? 1}`);
    return location === '' ? message : `${location}: ${message}`;
  });
  const isOwn = problem instanceof Problem;
  const failed = isOwn && problem.status >= 500 && problem.cause instanceof Error ? problem.cause : undefined;
  const causes = failed === undefined ? [] : [failed.message];
  const details = [...errors, ...causes, ...(problem.hint === undefined ? [] : [problem.hint])];
  return new CommandError(`${problem.message} (${problem.code})`, {
    cause: isOwn ? problem : undefined,
    details,
  });
}

/** A problem of a call in this process; an unknown endpoint may be in one of the files that are not served. */
export function localError(problem: Problem, rejected: readonly Finding[]): CommandError {
  const error = problemError(problem);
  const [first] = rejected;
  if (problem.code !== 'route.endpoint_unknown' || first === undefined) return error;
  const files = new Set(rejected.map(({ file }) => file)).size;
  const { file, line, column, message } = first;
  const others = files === 1 ? '' : `, and ${files - 1} more`;
  return new CommandError(error.message, {
    cause: problem,
    details: [
      ...error.details,
      `Files with errors are not served: ${file}:${line}:${column} ${message}${others}; run millrace validate`,
    ],
  });
}
