// Observations as structured log lines: one JSON object a line. No parameter values, no keys, no SQL of callers.
import pino, { type DestinationStream, type Level } from 'pino';
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Observation, Observe } from '../core/observation.ts';

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
    case 'service.worker_lost':
      return 'error';
    case 'engine.kill_failed':
    case 'engine.host_lost':
    case 'cache.remote_lost':
    case 'cache.rubbish_found':
    case 'cache.write_refused':
    case 'tokens.jwks_failed':
    case 'tokens.use_not_kept':
    case 'cache.refresh_failed':
    case 'warming.failed':
      return 'warn';
    case 'engine.connection_dropped':
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

function printable(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, printableField(name, value)]),
  );
}

function printableField(name: string, value: unknown): unknown {
  if (name === 'ms' || name === 'engineMs') return Math.round(Number(value) * 100) / 100;
  if (name === 'cause') return value === undefined ? undefined : describeCause(value);
  return value;
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
