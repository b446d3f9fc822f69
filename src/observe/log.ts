// Observations as structured log lines: one JSON object a line. No parameter values, no keys, no SQL of callers.
import pino, { type DestinationStream, type Level } from 'pino';
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Observation, Observe, StageTimes, TraceContext } from '../core/observation.ts';

/** Logs every observation at `level` or above to `stream`. */
export function createLog(level: Level | 'silent', stream: DestinationStream): Observe {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  return (observation) => {
    const level = levelOf(observation);
    if (!log.isLevelEnabled(level)) return;
    const { kind, ...fields } = observation;
    log[level]({ event: kind, ...printable(fields) });
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
      return 'error';
    case 'engine.kill_failed':
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
      return 'info';
  }
}

function printable(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, printableField(name, value)]),
  );
}

function printableField(name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (name === 'ms') return rounded(Number(value));
  if (name === 'timing')
    return Object.fromEntries(Object.entries(value as StageTimes).map(([stage, ms]) => [stage, rounded(ms)])); // so named, it is that
  if (name === 'trace') return (value as TraceContext).traceId; // so named, it is that
  if (name === 'cause') return describeCause(value);
  return value;
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
