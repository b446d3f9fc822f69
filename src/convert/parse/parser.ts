// Parses SQL of other systems with node-sql-parser, in a thread of its own: its grammars take exponential time and memory for
// some nested texts.
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { after } from '../../core/clock.ts';
import type { ParseReply, ParseRequest } from './messages.ts';

/** Limits on the parser's thread. */
export interface ParserLimits {
  /** Processor time of the process while it parses one text, which does not depend on what else the machine does. */
  readonly milliseconds: number;
  readonly mebibytes: number;
}

const LIMITS: ParserLimits = { milliseconds: 2000, mebibytes: 256 };
const MAX_CHARACTERS = 256 * 1024;
const LOOK_EVERY_MS = 50;

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
  /** Loading the program does not count against the first text. Undefined if there is not enough memory for it. */
  const start = async (): Promise<Worker | undefined> => {
    const started = new Worker(isSource ? fromSource() : PROGRAM, {
      eval: isSource,
      resourceLimits: { maxOldGenerationSizeMb: mebibytes },
    });
    thread = started;
    return (await messageOf(started)) === undefined ? undefined : started;
  };
  const parse = async (request: ParseRequest): Promise<ParseReply> => {
    if (request.text.length > MAX_CHARACTERS) return { kind: 'too_large' };
    const own = thread ?? (await start());
    own?.postMessage(request, []);
    const stopLooking = afterProcessorTime(milliseconds, () => void own?.terminate());
    const reply = own && (await messageOf<ParseReply>(own).finally(stopLooking));
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

/** What it sends next; undefined if it ends instead, also at its memory limit. Rejects if the program cannot be loaded. */
function messageOf<Message>(thread: Worker): Promise<Message | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => (): void => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      thread.unref();
      end();
    };
    const onMessage = (message: Message): void => settle(() => resolve(message))();
    const onError = (error: Error & { readonly code?: string }): void =>
      settle(() =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' || error instanceof RangeError
          ? resolve(undefined)
          : reject(error),
      )();
    const onExit = settle(() => resolve(undefined));
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.ref();
  });
}
