// Observations as structured log lines: one JSON object a line. No parameter values, no keys, no SQL of callers.
import pino, { type DestinationStream, type Level, type Logger } from 'pino';
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Finished, Observation, Observe, StageTimes, TraceContext } from '../core/observation.ts';

/** Lines that nobody has taken yet; more are dropped: a reader that is stuck stops no answer. */
const MAX_WAITING = 8 * 2 ** 20;
const CHARACTERS_PER_WRITE = 8 * 1024;
const FLUSH_MS = 100;

/** Lines to a file or file descriptor, many at a time: written one by one, they would cost as much as the requests they tell of. */
export function logStream(to: string | number): DestinationStream {
  const file = pino.destination({ dest: to, sync: false, maxLength: MAX_WAITING });
  let lines = '';
  const flush = (): void => {
    if (lines !== '') file.write(lines);
    lines = '';
  };
  setInterval(flush, FLUSH_MS).unref();
  process.once('exit', () => {
    flush();
    file.flushSync();
  });
  return {
    write: (line) => {
      lines += line;
      if (lines.length >= CHARACTERS_PER_WRITE) flush();
    },
  };
}

/** Logs every observation at `level` or above to `stream`. */
export function createLog(level: Level | 'silent', stream: DestinationStream): Observe {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        ms: rounded,
        timing: (timing: StageTimes) =>
          Object.fromEntries(Object.entries(timing).map(([stage, ms]) => [stage, rounded(ms)])),
        trace: ({ traceId }: TraceContext) => traceId,
        cause: describeCause,
      },
    },
    stream,
  );
  const logRequest = createRequestLog(log);
  return (observation) => {
    const level = levelOf(observation);
    if (!log.isLevelEnabled(level)) return;
    if (observation.kind === 'request.finished') return logRequest(level, observation);
    const { kind: event, ...fields } = observation;
    log[level]({ event, ...fields });
  };
}

/** Kinds of requests that are remembered; then they are forgotten, to begin again. */
const MAX_KINDS = 1000;

/** What many requests have in common is made text once. */
function createRequestLog(log: Logger): (level: Level, request: Finished) => void {
  const kinds = new Map<string, Logger>();
  return (level, { kind: event, method, route, endpoint, revision, principal, ...own }) => {
    const key = `${method} ${route} ${revision} ${endpoint} ${principal}`;
    let known = kinds.get(key);
    if (known === undefined) {
      if (kinds.size >= MAX_KINDS) kinds.clear();
      known = log.child({ event, method, route, endpoint, revision, principal });
      kinds.set(key, known);
    }
    known[level](own);
  };
}

/** How much an observation matters. */
function levelOf(observation: Observation): Level {
  switch (observation.kind) {
    case 'request.finished':
      return observation.status >= 500 ? 'error' : 'info';
    case 'catalog.rejected':
    case 'catalog.failed':
    case 'tokens.rejected':
    case 'sandbox.switched_off':
    case 'service.worker_lost':
      return 'error';
    case 'engine.kill_failed':
    case 'engine.host_lost':
    case 'reply.cut_off':
    case 'cache.remote_lost':
    case 'cache.rubbish_found':
    case 'cache.write_refused':
    case 'tokens.jwks_failed':
    case 'tokens.use_not_kept':
    case 'usage.not_written':
    case 'cache.refresh_failed':
    case 'warming.failed':
      return 'warn';
    case 'engine.connection_dropped':
    case 'usage.written':
    case 'cache.entry_too_large':
    case 'warming.refreshed':
    case 'warming.adopted':
    case 'warming.saved':
    case 'warming.dropped':
      return 'debug';
    case 'service.started':
    case 'service.stopping':
    case 'service.stopped':
    case 'catalog.loaded':
    case 'sandbox.checked':
    case 'tokens.loaded':
    case 'cache.remote_restored':
    case 'engine.host_restored':
      return 'info';
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** The messages of an error and of what caused it: what an operator needs, without stacks. */
export function describeCause(cause: unknown): string {
  const messages: string[] = [];
  for (let each = cause; each instanceof Error && messages.length < 5; each = each.cause)
    messages.push(each.message);
  return messages.length > 0 ? messages.join(' < ') : String(cause);
}

/** `file:line:column: message (code)`, the form that editors and terminals make clickable. */
export function describeDiagnostic({ file, line, column, code, message, hint }: Diagnostic): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}: ${message} (${code})${hint === undefined ? '' : `. ${hint}`}`;
}
