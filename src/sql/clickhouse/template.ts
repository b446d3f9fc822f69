// The template of a saved query: where choices stand, and the parts between the comments `if @name` and `end`.
import type { SqlFinding } from './finding.ts';
import { isSignificant, tokenize, type Token } from './lexer.ts';
import { markerText, readMarker, type PartCondition, type PartMarker } from './part-condition.ts';
import { followsOperand } from './placeholders.ts';
import type { NodeKind, Tree } from './tree/nodes.ts';
import { parseSaved } from './tree/parse.ts';
import { BRACKETS, nodesAround, spanOf, wordOf, type TreeTokens } from './tree/visit.ts';
import { afterGroup, tokensBetween, tokensOf, within } from './tree/tokens.ts';
import { plainSpaces } from './white-space.ts';

/** A piece of a query, by offsets into it (UTF-16 code units). Pieces are in order and without gaps. */
export type Piece = TextPiece | ChoicePiece | PartPiece;

interface Span {
  readonly start: number;
  readonly end: number;
}

interface TextPiece extends Span {
  readonly kind: 'text';
}

/** `@name` of a choice. */
export interface ChoicePiece extends Span {
  readonly kind: 'choice';
  readonly name: string;
}

/** An optional part, from its first comment to the end of its last one. */
export interface PartPiece extends Span {
  readonly kind: 'part';
  /** It is there if all of them hold. */
  readonly conditions: readonly PartCondition[];
  readonly pieces: readonly Piece[];
}

/** Not guaranteed: that the parameters are declared. */
export interface Template {
  readonly sql: string;
  readonly pieces: readonly Piece[];
  readonly findings: readonly SqlFinding[];
}

const MAX_DEPTH = 8;
const MAX_PARTS = 100;

/** What others write for such parts. */
const ALMOST = /^(?:if\b[^\n]*@|else\b|elif\b|elsif\b|endif\b|end\s+if\b)/i;

/** Reads the template of a query. `isChoice`: whether a parameter of that name is a choice. */
export function readTemplate(sql: string, isChoice: (name: string) => boolean): Template {
  const tokens = tokenize(sql);
  const reading: TemplateReading = { sql, tokens, isChoice, findings: [], parts: 0, isStopped: false };
  const { pieces } = readPieces(reading, { from: 0, depth: 0 });
  const { findings, parts, isStopped } = reading;
  if (parts > 0 && !isStopped) checkParts(tokensOf(sql, tokens.filter(isSignificant)), pieces, findings);
  return { sql, pieces, findings };
}

/** The parts, each before those inside it. */
export function* partsOf(pieces: readonly Piece[]): Generator<PartPiece> {
  for (const piece of pieces) {
    if (piece.kind !== 'part') continue;
    yield piece;
    yield* partsOf(piece.pieces);
  }
}

interface TemplateReading {
  readonly sql: string;
  readonly tokens: readonly Token[];
  readonly isChoice: (name: string) => boolean;
  readonly findings: SqlFinding[];
  parts: number;
  /** There are too many parts, or too deep ones: nothing more is read, so that the recursion is bounded. */
  isStopped: boolean;
}

/** Pieces from a token up to the `end` of the part that contains it, or to the end of the query. */
function readPieces(
  reading: TemplateReading,
  { from, depth }: { readonly from: number; readonly depth: number },
): { readonly pieces: readonly Piece[]; readonly next: number; readonly isClosed: boolean } {
  const { sql, tokens, findings } = reading;
  const pieces: Piece[] = [];
  let copied = tokens[from]?.start ?? sql.length;
  const addText = (end: number): void => {
    if (end > copied) pieces.push({ kind: 'text', start: copied, end });
  };
  for (let index = from; index < tokens.length && !reading.isStopped; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    const name = choiceAt(reading, index);
    if (name !== undefined) {
      addText(token.start);
      copied = token.end + name.length;
      pieces.push({ kind: 'choice', name, start: token.start, end: copied });
      index++;
      continue;
    }
    const marker = token.kind === 'comment' ? markerOf(sql, token) : undefined;
    if (marker === undefined) continue;
    if (marker.kind === 'if') {
      addText(token.start);
      const { conditions } = marker;
      const { part, next } = readPart(reading, { token, index, depth, conditions });
      pieces.push(part);
      copied = part.end;
      index = next;
    } else if (marker.kind === 'end' && depth > 0) {
      addText(token.start);
      return { pieces, next: index, isClosed: true };
    } else if (marker.kind === 'end') {
      const message = 'this comment ends an optional part, and none begins before it';
      findings.push(finding('part_unopened', `${message}: /* if @name */ … /* end */`, token));
    } else if (depth > 0 || /^.{0,3}\s*if/i.test(plainSpaces(sql.slice(token.start, token.end)))) {
      findings.push(finding('part_marker', UNKNOWN, token));
    }
  }
  addText(sql.length);
  return { pieces, next: tokens.length, isClosed: false };
}

const UNKNOWN =
  'an optional part begins with /* if @name */, /* if not @name */, /* if @name = value */ or several of them with and, and ends with /* end */: nothing else is evaluated';

interface PartStart {
  readonly token: Token;
  readonly index: number;
  readonly depth: number;
  readonly conditions: readonly PartCondition[];
}

function readPart(
  reading: TemplateReading,
  { token, index, depth, conditions }: PartStart,
): { readonly part: PartPiece; readonly next: number } {
  const { tokens, findings } = reading;
  reading.parts++;
  const isTooDeep = depth === MAX_DEPTH;
  if (isTooDeep || reading.parts > MAX_PARTS) {
    reading.isStopped = true;
    const message = isTooDeep
      ? `optional parts are nested deeper than ${MAX_DEPTH} levels`
      : `the query has more than ${MAX_PARTS} optional parts`;
    findings.push(finding('part_marker', message, token));
  }
  const { pieces, next, isClosed } = readPieces(reading, { from: index + 1, depth: depth + 1 });
  if (!isClosed && !reading.isStopped)
    findings.push(finding('part_unclosed', 'this optional part has no end: write /* end */ after it', token));
  const end = tokens[next]?.end ?? reading.sql.length;
  const isEmpty = !tokens.slice(index + 1, next).some(isSignificant);
  if (isClosed && isEmpty) findings.push(finding('part_empty', 'this optional part is empty', token));
  return {
    part: { kind: 'part', conditions, pieces, start: token.start, end },
    next,
  };
}

function choiceAt({ sql, tokens, isChoice }: TemplateReading, index: number): string | undefined {
  const [at, name] = [tokens[index], tokens[index + 1]];
  if (at?.kind !== '@' || name?.kind !== 'word' || followsOperand(tokens, index)) return undefined;
  const text = sql.slice(name.start, name.end);
  return isChoice(text) ? text : undefined;
}

function markerOf(sql: string, { start, end }: Token): PartMarker | { readonly kind: 'unknown' } | undefined {
  const comment = sql.slice(start, end);
  const content = markerText(comment)?.slice(0, 200);
  return (
    readMarker(comment) ?? (content !== undefined && ALMOST.test(content) ? { kind: 'unknown' } : undefined)
  );
}

/** A part has whole brackets, and does not widen the condition around it. */
function checkParts(tokens: TreeTokens, pieces: readonly Piece[], findings: SqlFinding[]): void {
  let tree: Tree | undefined; // parsed if it is needed
  const parts = [...partsOf(pieces)];
  for (const part of parts) {
    const brackets = within(tokens, part).cursor.brackets();
    if ('code' in brackets) {
      const message = 'an optional part must contain both brackets of a pair, or none';
      findings.push(finding('part_unbalanced', message, brackets));
      continue;
    }
    const { from, to } = tokensBetween(tokens, part);
    for (let at = from; at < to; at = afterGroup(tokens, at)) {
      if (wordOf(tokens, { at }) !== 'OR' || tokens.cursor.kind(at - 1) === '@') continue;
      tree ??= parseSaved(tokens.cursor);
      const isOwn = !isWidening(tree, from, at) || isInOwnQuery(tokens, part, at);
      if (isOwn && !isContinued(tokens, to, parts)) continue;
      const message =
        'OR in an optional part would widen the condition around it: put the part in parentheses';
      findings.push(finding('part_or', message, spanOf(tokens, { from: at, to: at + 1 })));
      break;
    }
  }
}

const CONDITIONS: ReadonlySet<NodeKind> = new Set<NodeKind>(['where', 'prewhere', 'having', 'qualify', 'on']);

/** Returns whether an OR of a part, outside of its brackets, is in a condition that begins before the part; or may be in one, after a fault. */
function isWidening({ root, fault }: Tree, part: number, at: number): boolean {
  if (fault !== undefined && fault.at <= at) return true;
  const inner = nodesAround(root, at).findLast(({ kind }) => CONDITIONS.has(kind) || BRACKETS.has(kind));
  return inner !== undefined && CONDITIONS.has(inner.kind) && inner.from < part;
}

/** Returns whether a part is a whole query, and its OR is in a condition of that: alternative queries after each other are no tree. */
function isInOwnQuery(tokens: TreeTokens, part: Span, at: number): boolean {
  const { from } = tokensBetween(tokens, part);
  if (!['SELECT', 'WITH'].includes(wordOf(tokens, { at: from }) ?? '')) return false;
  const { root, fault } = parseSaved(within(tokens, part).cursor);
  const own = at - from;
  if (fault !== undefined && fault.at <= own) return false;
  return nodesAround(root, own).some(({ kind }) => CONDITIONS.has(kind));
}

/** Returns whether AND follows a token, where other parts may be left out. */
function isContinued(tokens: TreeTokens, from: number, parts: readonly Span[]): boolean {
  const ends = new Map(parts.map((part) => tokensBetween(tokens, part)).map((span) => [span.from, span.to]));
  let at = from;
  for (let end = ends.get(at); end !== undefined && end > at; end = ends.get(at)) at = end;
  return wordOf(tokens, { at }) === 'AND';
}

function finding(reason: string, message: string, { start, end }: Span): SqlFinding {
  return { start, end, code: `query.${reason}`, message };
}
