// The program of the parser's thread: node-sql-parser with a time limit. The thread has the memory limit.
import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import type { ForeignDialect } from '../conversion.ts';
import type { ParseReply, ParseRequest } from './messages.ts';

/** In milliseconds, for one text: the grammars take exponential time for some nested texts. */
const TIME_LIMIT = 2000;

interface Grammar {
  readonly Parser: new () => {
    readonly parse: (text: string, options: object) => { readonly ast: unknown };
  };
}

const require = createRequire(import.meta.url);
const grammars = new Map<ForeignDialect, Grammar>();

function grammarOf(dialect: ForeignDialect): Grammar {
  // The module has no types for its separate grammars.
  const grammar = grammars.get(dialect) ?? (require(`node-sql-parser/build/${dialect}.js`) as Grammar);
  grammars.set(dialect, grammar);
  return grammar;
}

// `vm` interrupts code that it started after a time, also code outside its context.
const context = createContext({ parse: (): unknown => undefined });
const script = new Script('parse()');

function parse({ dialect, text }: ParseRequest): ParseReply {
  const { Parser } = grammarOf(dialect);
  context['parse'] = () =>
    new Parser().parse(text, {
      database: dialect,
      trimQuery: false,
      parseOptions: { includeLocations: true },
    }).ast;
  try {
    return {
      kind: 'parsed',
      ast: JSON.parse(JSON.stringify(script.runInContext(context, { timeout: TIME_LIMIT }))),
    };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): ParseReply {
  if (error instanceof RangeError) return { kind: 'too_large' };
  // Errors of the grammar have a location.
  const { code, message, location } = error as {
    readonly code?: string;
    readonly message?: string;
    readonly location?: { readonly start: { readonly offset: number } };
  };
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { kind: 'timeout' };
  return { kind: 'invalid', offset: location?.start.offset ?? 0, message: message ?? 'not parsed' };
}

parentPort?.on('message', (request: ParseRequest) => parentPort?.postMessage(parse(request)));
