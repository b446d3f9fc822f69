// `millrace query`: one endpoint run from the shell, through the same path as a request.
import { randomUUID } from 'node:crypto';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../core/observation.ts';
import { Problem } from '../core/problem.ts';
import type { Answer, Call } from '../request/call.ts';
import { CommandError } from './command-error.ts';
import { openEngineOrExplain, seed } from './serve.ts';
import { renderCsv, renderTable, type Row } from './table.ts';
import type { Terminal } from './terminal.ts';
import { splitPair } from './token.ts';
import type { OpenEngine, OpenLocal } from './wiring.ts';

export interface QueryOptions {
  readonly settings: Settings;
  readonly endpoint: string;
  /** `name=value` pairs. */
  readonly parameters: readonly string[];
  readonly sql: string | undefined;
  readonly lql: string | undefined;
  readonly output: 'table' | 'json' | 'csv';
  readonly observe: Observe;
}

export interface QueryDeps {
  readonly openEngine: OpenEngine;
  readonly openLocal: OpenLocal;
  readonly terminal: Terminal;
}

/** Runs the endpoint and prints its rows. */
export async function query(options: QueryOptions, deps: QueryDeps): Promise<void> {
  const { settings, observe } = options;
  const { terminal } = deps;
  const pairs = options.parameters.map(splitPair);
  const own = (['sql', 'lql'] as const).flatMap((name) => {
    const text = options[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  const fields = new Map<string, readonly string[]>();
  for (const [name, value] of [...pairs, ...own]) fields.set(name, [...(fields.get(name) ?? []), value]);

  const engine = await openEngineOrExplain(deps.openEngine, settings, observe);
  try {
    if (engine.kind === 'embedded') await seed(engine, settings, terminal);
    const { signal } = new AbortController();
    const call = {
      requestId: randomUUID(),
      endpoint: options.endpoint,
      key: '',
      fields,
      redact: false,
      signal,
    };
    const answer = await answerOnce(await deps.openLocal({ settings, engine, observe }), call);
    print(answer.body, options.output, terminal);
    const { timing, rows, truncated } = answer;
    terminal.note(
      `${rows} rows${truncated ? ' (cut at the maximum)' : ''}, ${timing.engine.toFixed(0)} ms in the engine`,
    );
  } catch (error) {
    throw error instanceof Problem ? new CommandError(describeProblem(error), { cause: error }) : error;
  } finally {
    await engine.close(0);
  }
}

async function answerOnce(local: Awaited<ReturnType<OpenLocal>>, call: Call): Promise<Answer> {
  try {
    return await local.answer(call);
  } finally {
    await local.close();
  }
}

function print(body: Buffer, output: QueryOptions['output'], terminal: Terminal): void {
  const { result } = JSON.parse(body.toString()) as { result: Row[] }; // our own envelope
  if (output === 'json') return terminal.print(JSON.stringify(result, null, 2));
  if (result.length === 0) return;
  for (const line of output === 'csv' ? renderCsv(result) : renderTable(result)) terminal.print(line);
}

function describeProblem(problem: Problem): string {
  const errors = problem.errors.map(({ parameter, line, column, message }) => {
    const place = parameter ?? (line === undefined ? '' : `${line}:${column ?? 1}`);
    return `\n  ${place === '' ? '' : `${place}: `}${message}`;
  });
  const cause = problem.status >= 500 && problem.cause instanceof Error ? `\n  ${problem.cause.message}` : '';
  return `${problem.message} (${problem.code})${errors.join('')}${cause}\n  ${problem.hint}`;
}
