// The program of the parser's thread: reports that it is ready, then reads one text after another. Its parent ends it if a text
// takes too long.
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type * as NodeSqlParser from 'node-sql-parser';
import type { ConversionNote } from '../../../sql/dialects/conversion.ts';
import { DIALECTS_BY_NAME } from '../../../sql/dialects/dialects.ts';
import { UnconvertedError } from '../../../sql/dialects/context.ts';
import { OFFLINE_LIMITS, read } from '../../../sql/dialects/read/read.ts';
import { readsOf } from '../reads.ts';
import type { ParsedQuery, ParseReply, ParseRequest } from './parser.ts';
import { disagreements } from './second-reader.ts';

// One grammar is enough: the outlines of queries are the same in all dialects. It has the types of the whole package.
const { Parser } = createRequire(import.meta.url)(
  'node-sql-parser/build/postgresql.js',
) as typeof NodeSqlParser;

function parseOutline(outline: string): unknown {
  return new Parser().astify(outline, { database: 'postgresql' });
}

function parse({ dialect, text }: ParseRequest): ParsedQuery {
  const options = { isStrict: false, limits: OFFLINE_LIMITS, hasOutlines: true };
  const { query, leftOut, outlines } = read(text, DIALECTS_BY_NAME[dialect].grammar, options);
  const notes = [
    ...leftOut.map((each): ConversionNote => ({ ...each, severity: 'note', code: 'clause' })),
    ...disagreements(outlines, parseOutline).map((start): ConversionNote => ({
      severity: 'not_converted',
      code: 'clause',
      start,
      end: start + 1,
      message: 'The clauses of this query can be read in two ways',
      hint: 'Compare the result with the query.',
    })),
  ];
  return { query, notes, ...readsOf(query) };
}

function reply(request: ParseRequest): ParseReply {
  try {
    return { kind: 'read', reading: parse(request) };
  } catch (error) {
    if (error instanceof UnconvertedError) {
      const { code, at: offset, message } = error;
      const own = code === 'statement' || code === 'too_large' ? code : 'syntax';
      return { kind: 'invalid', code: own, offset, message };
    }
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
