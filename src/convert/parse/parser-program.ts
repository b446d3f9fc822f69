// The program of the parser's thread: reports that it is ready, then reads one text after another. Its parent ends it if a text
// takes too long.
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type * as NodeSqlParser from 'node-sql-parser';
import { ReadError } from '../read/read-error.ts';
import { read } from '../read/read.ts';
import type { ParseReply, ParseRequest } from './messages.ts';

// One grammar is enough: the skeletons of queries are the same in all dialects. It has the types of the whole package.
const { Parser } = createRequire(import.meta.url)(
  'node-sql-parser/build/postgresql.js',
) as typeof NodeSqlParser;

function parseSkeleton(skeleton: string): unknown {
  return new Parser().astify(skeleton, { database: 'postgresql' });
}

function reply({ dialect, text }: ParseRequest): ParseReply {
  try {
    return { kind: 'read', reading: read(text, dialect, parseSkeleton) };
  } catch (error) {
    if (error instanceof ReadError)
      return { kind: 'invalid', code: error.code, offset: error.offset, message: error.message };
    if (error instanceof RangeError) return { kind: 'too_large' };
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
parentPort?.postMessage('ready', []);
