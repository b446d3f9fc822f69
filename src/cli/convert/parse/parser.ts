// Parses SQL of other systems with node-sql-parser, in a thread of its own: its grammars take exponential time and memory for
import type { ConversionNote, ForeignDialect, Reads } from '../../../sql/dialects/conversion.ts';
import type { Query } from '../../../sql/dialects/tree.ts';
import type { Comparison } from '../reads.ts';
import { createRequire } from 'node:module';
import type { Worker } from 'node:worker_threads';
import { after } from '../../../sql/base/clock.ts';
import { MissingPackageError } from '../../../sql/base/observation.ts';
import { nextMessage, startThread } from '../../../service/threads/thread.ts';

export interface ParseRequest {
  readonly dialect: ForeignDialect;
  readonly text: string;
}

/** A query that was read, what was left out of it, and where it could be read otherwise. */
export interface ParsedQuery {
  readonly query: Query;
  readonly notes: readonly ConversionNote[];
  readonly reads: Reads;
  readonly comparisons: readonly Comparison[];
}

export type ParseReply =
  | { readonly kind: 'read'; readonly reading: ParsedQuery }
  /** `offset` is in the text, in UTF-16 code units. */
  | {
      readonly kind: 'invalid';
      readonly code: 'syntax' | 'statement' | 'too_large';
      readonly offset: number;
      readonly message: string;
    }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too_large' };

/** Limits on the parser's thread. */
interface ParserLimits {
  /** Processor time of the process while it parses one text, which does not depend on what else the machine does. */
  readonly milliseconds: number;
  readonly mebibytes: number;
}

const LIMITS: ParserLimits = { milliseconds: 2000, mebibytes: 256 };
const MAX_CHARACTERS = 256 * 1024;
/** One grammar is enough: the skeletons of queries are the same in all dialects. */
const GRAMMAR = 'node-sql-parser/build/postgresql.js';
const LOOK_EVERY_MS = 50;

/** Parses one text after another. */
export interface Parser {
  readonly parse: (request: ParseRequest) => Promise<ParseReply>;
  /** Ends the thread; a text that is being parsed is reported as too large. */
  readonly close: () => Promise<void>;
}

/** Starts the thread when the first text is parsed, and again after a text that ended it. */
export function createParser({ milliseconds, mebibytes } = LIMITS, grammar = GRAMMAR): Parser {
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** Loading the program does not count against the first text. Undefined if there is not enough memory for it. */
  const start = async (): Promise<Worker | undefined> => {
    requireGrammar(grammar);
    const resourceLimits = { maxOldGenerationSizeMb: mebibytes };
    const started = startThread('./parser-program', import.meta.url, { resourceLimits });
    thread = started;
    return (await nextMessage(started)) === undefined ? undefined : started;
  };
  const parse = async (request: ParseRequest): Promise<ParseReply> => {
    if (request.text.length > MAX_CHARACTERS) return { kind: 'too_large' };
    const own = thread ?? (await start());
    own?.postMessage(request, []);
    const stopLooking = afterProcessorTime(milliseconds, () => void own?.terminate());
    const reply = own && (await nextMessage<ParseReply>(own).finally(stopLooking));
    if (reply !== undefined) return reply;
    thread = undefined;
    return { kind: stopLooking() ? 'timeout' : 'too_large' };
  };
  return {
    parse: (request) => {
      const reply = last.then(() => parse(request));
      last = reply.catch(() => undefined);
      return reply;
    },
    close: async () => {
      await thread?.terminate();
      thread = undefined;
    },
  };
}

/** The package is an optional dependency. Throws MissingPackageError. */
function requireGrammar(grammar: string): void {
  try {
    createRequire(import.meta.url).resolve(grammar);
  } catch (cause) {
    throw new MissingPackageError(
      'SQL of other systems is read by the package node-sql-parser, which is not installed: install with optional dependencies',
      { cause },
    );
  }
}

/**
 * Calls `action` once the process has used so much processor time, unless the returned function is called first. That
 * function returns whether it was called.
 */
function afterProcessorTime(milliseconds: number, action: () => void): () => boolean {
  const start = process.cpuUsage();
  let isOver = false;
  const look = (): void => {
    const { user, system } = process.cpuUsage(start);
    isOver = (user + system) / 1000 >= milliseconds;
    if (isOver) action();
    else cancel = after(LOOK_EVERY_MS, look);
  };
  let cancel = after(LOOK_EVERY_MS, look);
  return () => {
    cancel();
    return isOver;
  };
}
