// Parses SQL of other systems with node-sql-parser, in a thread of its own: its grammars take exponential time and memory for
// some nested texts.
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ParseReply, ParseRequest } from './messages.ts';

/** Limits on the parser's thread. */
export interface ParserLimits {
  /** For one text. */
  readonly milliseconds: number;
  readonly mebibytes: number;
}

const LIMITS: ParserLimits = { milliseconds: 2000, mebibytes: 256 };
const MAX_CHARACTERS = 256 * 1024;

const PROGRAM = new URL(`./parser-program${extname(import.meta.url)}`, import.meta.url);

const isSource = PROGRAM.pathname.endsWith('.ts');

/** When running from source, the program is compiled while it is loaded: in a thread, tsx must be registered by its ES module. */
function fromSource(): string {
  const tsx = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/cjs$/, 'mjs');
  return `import(${JSON.stringify(tsx)}).then(({ register }) => (register(), import(${JSON.stringify(PROGRAM.href)})));`;
}

/** Parses one text after another. */
export interface Parser {
  readonly parse: (request: ParseRequest) => Promise<ParseReply>;
  /** Ends the thread; a text that is being parsed is reported as too large. */
  readonly close: () => Promise<void>;
}

/** Starts the thread when the first text is parsed, and again after a text that ended it. */
export function createParser({ milliseconds, mebibytes } = LIMITS): Parser {
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const threadOf = (): Worker => {
    if (thread !== undefined) return thread;
    const started = new Worker(isSource ? fromSource() : PROGRAM, {
      eval: isSource,
      workerData: milliseconds,
      resourceLimits: { maxOldGenerationSizeMb: mebibytes },
    });
    started.unref();
    thread = started;
    return started;
  };
  const parse = async (request: ParseRequest): Promise<ParseReply> => {
    if (request.text.length > MAX_CHARACTERS) return { kind: 'too_large' };
    const own = threadOf();
    const reply = await replyOf(own, request);
    if (reply === undefined && thread === own) thread = undefined;
    return reply ?? { kind: 'too_large' };
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

/** Undefined if the thread ended at its memory limit. Rejects if the program could not be loaded. */
function replyOf(thread: Worker, request: ParseRequest): Promise<ParseReply | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => (): void => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      thread.unref();
      end();
    };
    const onMessage = (reply: ParseReply): void => settle(() => resolve(reply))();
    const onError = (error: Error & { readonly code?: string }): void =>
      settle(() =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' || error instanceof RangeError
          ? resolve(undefined)
          : reject(error),
      )();
    const onExit = settle(() => resolve(undefined));
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.ref();
    thread.postMessage(request, []);
  });
}
