// Has the engine analyse an endpoint's query and each table of its WITH clause, and reports errors as findings in the
// file.
import type { Finding } from '../core/finding.ts';
import { didYouMean, nearest } from '../core/nearest.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { enginePosition, quotedNames } from '../sandbox/engine-message.ts';
import { findInQuery } from '../sandbox/find-in-query.ts';
import { createCursor } from '../sql/cursor.ts';
import { quoteIdentifier } from '../sql/literal.ts';
import { authorOffset } from '../sql/placeholders.ts';
import type { InspectedFile } from './compile.ts';

/** A part of the bound query, as a separate statement. */
interface Part {
  readonly sql: string;
  /** Offset of `sql` in the bound query, and the range that belongs to this part. */
  readonly shift: number;
  readonly start: number;
  readonly end: number;
}

const CODES: ReadonlyMap<number, string> = new Map([
  [47, 'engine.unknown_column'],
  [10, 'engine.unknown_column'],
  [60, 'engine.unknown_table'],
  [81, 'engine.unknown_table'],
  [46, 'engine.unknown_function'],
  [50, 'engine.unknown_type'],
  [62, 'engine.syntax'],
  [35, 'engine.wrong_arguments'],
  [36, 'engine.wrong_arguments'],
  [42, 'engine.wrong_arguments'],
  [41, 'engine.wrong_type'],
  [43, 'engine.wrong_type'],
  [44, 'engine.wrong_type'],
  [53, 'engine.wrong_type'],
  [59, 'engine.wrong_type'],
  [386, 'engine.wrong_type'],
  [184, 'engine.wrong_aggregate'],
  [215, 'engine.wrong_aggregate'],
]);

/** The prefix that the engine's `describe` adds to a statement. */
const WRAPPER = 'DESCRIBE TABLE (\n';

/** Findings of the engine; at most one per part of the query, since the engine stops at the first error. */
export async function checkOnEngine(engine: Engine, inspected: InspectedFile): Promise<readonly Finding[]> {
  const { sampleValues: parameters, limits, int64, outline } = inspected.candidate.endpoint;
  const findings = new Map<string, Finding>(); // by message: queries that read a failing table fail in the same way
  for (const part of partsOf(inspected)) {
    if (findings.size > 0 && part.start >= outline.mainStart) break; // it reads those tables
    const failure = await engine
      .describe({ sql: part.sql, parameters, limits, origin: 'saved', int64 })
      .then(() => undefined, failureOf);
    if (failure === undefined) continue;
    const message = messageOf(failure.message);
    if (!findings.has(message)) findings.set(message, findingOf(inspected, part, failure));
  }
  return [...findings.values()];
}

function failureOf(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  throw cause;
}

function partsOf({ candidate: { endpoint } }: InspectedFile): readonly Part[] {
  const { query, outline } = endpoint;
  const { elements, withStart, withEnd } = outline;
  const clause = query.slice(withStart, withEnd);
  const tables = elements
    .filter(({ kind }) => kind === 'table')
    .map(({ name, start, end }) => ({
      sql: `${clause}\nSELECT * FROM ${quoteIdentifier(name)}`,
      shift: withStart,
      start,
      end,
    }));
  return [...tables, { sql: query, shift: 0, start: outline.mainStart, end: query.length }];
}

function findingOf(inspected: InspectedFile, part: Part, failure: EngineError): Finding {
  const { document, analysis } = inspected;
  const hint = hintOf(failure.message);
  return {
    file: document.file,
    ...document.locateInside(
      ['query'],
      authorOffset(analysis.bound.uses, offsetOf(inspected, part, failure.message)),
    ),
    severity: 'error',
    code: CODES.get(failure.engineCode ?? 0) ?? 'engine.rejected',
    message: messageOf(failure.message),
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * The position in the message, otherwise that of the first name from the message found in this part, otherwise the
 * part's start.
 */
function offsetOf({ analysis: { bound } }: InspectedFile, part: Part, message: string): number {
  const position = enginePosition(message, `${WRAPPER}${part.sql}\n)`);
  if (position !== undefined)
    return Math.min(bound.sql.length, Math.max(0, position - WRAPPER.length) + part.shift);
  const query = createCursor(bound.sql.slice(part.start, part.end));
  for (const name of namesIn(message)) {
    const found = findInQuery(query, name);
    if (found !== undefined) return part.start + found.start;
  }
  return part.start;
}

/** Names in a message, each also without its database and table. */
function namesIn(message: string): readonly string[] {
  const type = /data type family: (\w+)/.exec(message)?.[1];
  const names = type === undefined ? quotedNames(message) : [type];
  return names.flatMap((name) => {
    const parts = name.split('.');
    return parts.map((_, index) => parts.slice(index).join('.'));
  });
}

/** The engine's sentence without its error code, the repeated query and the details that follow. */
function messageOf(text: string): string {
  if (/Syntax error/.test(text)) return 'the engine reports a syntax error here';
  const [sentence = ''] = text
    .replace(/^.*?DB::Exception: /s, '')
    .split(
      /[.:]? ?\(?(?:[Ii]n (?:scope|query) |Maybe you meant|while (?:executing|converting) )|\. \([A-Z_]+\)/,
    );
  const plain = sentence
    .replace(/[.:\s]+$/, '')
    .replace(/\s+/g, ' ')
    .slice(0, 300);
  return /^[A-Z][a-z]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}

function hintOf(text: string): string | undefined {
  const names = /Maybe you meant:? (?:\[([^\]]+)\]|(\S+?)[?]?\.? )/
    .exec(text)
    ?.slice(1)
    .find((each) => each !== undefined);
  if (names === undefined) return undefined;
  const guesses = names.split(',').map((name) => name.trim().replace(/^'|'$/g, ''));
  const [written = ''] = quotedNames(text);
  return didYouMean(nearest(written, guesses) ?? guesses[0]);
}
