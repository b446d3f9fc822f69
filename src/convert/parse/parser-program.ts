// The program of the parser's thread: reads one text after another, each within a time limit. The thread has the memory limit.
import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import type * as NodeSqlParser from 'node-sql-parser';
import { ReadError } from '../read/read-error.ts';
import { read, type Reading } from '../read/read.ts';
import type { ParseReply, ParseRequest } from './messages.ts';

/** In milliseconds, for one text: grammars may take exponential time for nested texts. */
const timeout: number = workerData;

// One grammar is enough: the skeletons of queries are the same in all dialects. It has the types of the whole package.
const { Parser } = createRequire(import.meta.url)(
  'node-sql-parser/build/postgresql.js',
) as typeof NodeSqlParser;

function parseSkeleton(skeleton: string): unknown {
  return new Parser().astify(skeleton, { database: 'postgresql' });
}

// `vm` interrupts what it calls after a time, also code outside its context.
const context = createContext({ call: (): unknown => undefined });
const script = new Script('call()');

function withinLimit(call: () => Reading): Reading {
  context['call'] = call;
  return script.runInContext(context, { timeout }) as Reading; // what `call` returns
}

function reply({ dialect, text }: ParseRequest): ParseReply {
  try {
    return { kind: 'read', reading: withinLimit(() => read(text, dialect, parseSkeleton)) };
  } catch (error) {
    if (error instanceof ReadError)
      return { kind: 'invalid', code: error.code, offset: error.offset, message: error.message };
    if (error instanceof RangeError) return { kind: 'too_large' };
    // An error of the context, which has an `Error` of its own.
    const { code } = error as { readonly code?: unknown };
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { kind: 'timeout' };
    throw error;
  }
}

/** A deep tree may be too deep to be sent. */
function send(message: ParseReply): void {
  try {
    parentPort?.postMessage(message, []);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    parentPort?.postMessage({ kind: 'too_large' } satisfies ParseReply, []);
  }
}

parentPort?.on('message', (request: ParseRequest) => send(reply(request)));
