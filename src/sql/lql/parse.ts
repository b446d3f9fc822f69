// Parses LQL, the log query language, to a tree. Collects all findings, never throws, linear time.
import type { TextSpan } from '../base/finding.ts';
import { characterAt } from '../clickhouse/character-name.ts';
import { isSpaceUnit } from '../clickhouse/white-space.ts';
import { type LqlFinding, findingAt } from './finding.ts';
import { readField, readMessage, readTimestamp } from './filter-clauses.ts';
import type { ClauseContext } from './clause-context.ts';
import { readChart, readFrom, readSelect } from './query-clauses.ts';
import { type QueryPart, withAlternatives } from './alternatives.ts';
import { SPACES, createSource, isWhite, type ReadUpTo, type LqlText } from './source.ts';
import { checkStructure } from './clause-conflicts.ts';
import type { Clause, Tree } from './tree.ts';

/** In UTF-16 code units. */
export const MAX_LQL_LENGTH = 65_536;
const MAX_CLAUSES = 100;

const READERS: readonly ((context: ClauseContext) => ReadUpTo<Clause> | undefined)[] = [
  readFrom,
  readChart,
  readSelect,
  readTimestamp,
  readField,
];

/** Parses a query; a query of only spaces has no clauses. */
export function parse(text: string): { readonly tree: Tree } | { readonly findings: readonly LqlFinding[] } {
  const unreadable = checkText(text);
  if (unreadable !== undefined) return { findings: [unreadable] };
  const source = createSource(text);
  const parts = readParts(source);
  const clauses = parts.flatMap(({ clause }) => clause ?? []);
  const findings = [...withAlternatives(source, parts), ...checkStructure(clauses)];
  if (findings.length === 0) return { tree: { clauses } };
  return { findings: findings.toSorted((a, b) => a.start - b.start) };
}

/** The query as it is written, invalid parts included: what edits it must change no other part. */
export function partsOf(text: string): readonly QueryPart[] {
  const isReadable = checkText(text) === undefined;
  return isReadable ? readParts(createSource(text)) : [{ start: 0, end: text.length }];
}

function checkText(text: string): LqlFinding | undefined {
  if (text.length > MAX_LQL_LENGTH) {
    const span = { start: MAX_LQL_LENGTH, end: text.length };
    return findingAt(span, {
      code: 'lql.query_too_long',
      message: `a query has at most ${MAX_LQL_LENGTH} characters`,
    });
  }
  const bad = text.search(/\0|\p{Surrogate}/u);
  if (bad < 0) return undefined;
  const what = text[bad] === '\0' ? 'a NUL byte' : 'a lone surrogate';
  const span = { start: bad, end: bad + 1 };
  return findingAt(span, { code: 'lql.character_invalid', message: `a query cannot contain ${what}` });
}

function readParts(source: LqlText): readonly QueryPart[] {
  const parts: QueryPart[] = [];
  let at = 0;
  for (let count = 0; ; count++) {
    at += source.match(SPACES, at)?.[0].length ?? 0;
    if (at >= source.text.length) return parts;
    if (count === MAX_CLAUSES) {
      reportTooMany(source, at);
      return [...parts, { start: at, end: source.text.length }];
    }
    const start = at;
    const { end, value } = readClause(source, at);
    at = value === undefined ? end : endOfClause(source, end);
    parts.push(value === undefined || at > end ? { start, end: at } : { start, end, clause: value });
  }
}

function readClause(source: LqlText, start: number): ReadUpTo<Clause> {
  if (isWhite(source.text.charAt(start))) return reportWhite(source, start);
  const negated = source.text[start] === '-';
  const context: ClauseContext = { source, start, body: negated ? start + 1 : start, negated };
  for (const read of READERS) {
    const reading = read(context);
    if (reading !== undefined) return reading;
  }
  return readMessage(context);
}

/** Clauses are separated by whitespace: reports characters that directly follow one, and skips them. */
function endOfClause(source: LqlText, end: number): number {
  const next = source.text.charAt(end);
  if (next === '' || isWhite(next)) return end;
  return source.fail(
    { start: end, end: Math.max(source.bareEnd(end), end + 1) },
    {
      code: 'lql.whitespace_missing',
      message: 'expected whitespace before this, which separates clauses',
      hint: 'put a value with such characters in double quotes, and write \\" for a double quote in it',
    },
  ).end;
}

/** Reports whitespace that is not a separator, and characters that cannot be seen: treating them as one would be a guess. */
function reportWhite(source: LqlText, start: number): { readonly end: number } {
  const name = characterAt(source.text, start);
  const isSpace = isSpaceUnit(source.text.charCodeAt(start)) || /\s/.test(source.text.charAt(start));
  const span: TextSpan = { start, end: start + 1 };
  source.report(span, {
    code: 'lql.character_invalid',
    message: isSpace ? `${name} looks like a space but does not separate clauses` : `${name} cannot be seen`,
    hint: 'use an ASCII space, or put text with this character in double quotes',
  });
  return { end: span.end };
}

function reportTooMany(source: LqlText, start: number): void {
  source.report(
    { start, end: Math.max(source.bareEnd(start), start + 1) },
    {
      code: 'lql.too_many_clauses',
      message: `a query has at most ${MAX_CLAUSES} clauses`,
      hint: 'one regular expression such as ~"a|b|c" can replace many terms',
    },
  );
}
