// SQL as a tree of parentheses: placeholders are one node, whitespace and comments are dropped.
import { significantTokens } from '../sql/cursor.ts';
import type { Token } from '../sql/lexer.ts';
import { identifierName } from '../sql/literal.ts';

/** `start` and `end` are offsets in the parsed string (UTF-16 code units). */
export type SqlNode =
  | {
      readonly kind: 'token';
      readonly text: string;
      readonly word: string;
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'parameter'; readonly name: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'group';
      readonly open: SqlToken;
      readonly nodes: readonly SqlNode[];
      readonly close: SqlToken;
      readonly start: number;
      readonly end: number;
    };

type SqlToken = Extract<SqlNode, { kind: 'token' }>;

/** Parentheses nested deeper are ordinary tokens. */
const MAX_DEPTH = 100;

/** Parses parts of `sql`, whose parentheses match, with placeholders as written by `bindPlaceholders`. */
export function createReadTree(sql: string): (start: number, end: number) => readonly SqlNode[] {
  const all = significantTokens(sql);
  return (start, end) =>
    build(
      sql,
      all.filter((each) => each.start >= start && each.end <= end),
    );
}

function build(sql: string, tokens: readonly Token[]): readonly SqlNode[] {
  const top: SqlNode[] = [];
  const groups: { readonly open: SqlToken; readonly nodes: SqlNode[] }[] = [];
  let tooDeep = 0;
  let skipTo = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.start < skipTo) continue;
    const node = toToken(sql, token);
    const bound = placeholderAt(sql, tokens, index);
    skipTo = bound?.end ?? token.end;
    const opens = bound === undefined && OPENERS.has(token.kind);
    if (opens && groups.length < MAX_DEPTH) {
      groups.push({ open: node, nodes: [] });
      continue;
    }
    const closes = CLOSERS.has(token.kind);
    const group = closes && tooDeep === 0 ? groups.pop() : undefined;
    const whole =
      group && ({ kind: 'group', ...group, close: node, start: group.open.start, end: token.end } as const);
    if (opens) tooDeep++;
    if (closes && tooDeep > 0) tooDeep--;
    (groups.at(-1)?.nodes ?? top).push(whole ?? bound ?? node);
  }
  return top;
}

const OPENERS: ReadonlySet<string> = new Set(['(', '[', '{']);
const CLOSERS: ReadonlySet<string> = new Set([')', ']', '}']);

function toToken(sql: string, { kind, start, end }: Token): SqlToken {
  const text = sql.slice(start, end);
  return { kind: 'token', text, word: kind === 'word' ? text.toUpperCase() : '', start, end };
}

/** `{name:Type}`: rejected in files, so each one is a bound parameter. */
function placeholderAt(sql: string, tokens: readonly Token[], index: number): SqlNode | undefined {
  const [open, name, colon] = [tokens[index], tokens[index + 1], tokens[index + 2]];
  if (open?.kind !== '{' || name?.kind !== 'word' || colon?.kind !== ':') return undefined;
  const end = sql.indexOf('}', colon.end) + 1; // types contain no braces
  return { kind: 'parameter', name: sql.slice(name.start, name.end), start: open.start, end };
}

/** The leaves, in order. */
function* leaves(nodes: readonly SqlNode[]): Generator<Exclude<SqlNode, { kind: 'group' }>> {
  for (const node of nodes) {
    if (node.kind !== 'group') {
      yield node;
      continue;
    }
    yield node.open;
    yield* leaves(node.nodes);
    yield node.close;
  }
}

/** Equal for strings that differ only in whitespace and comments. */
export function keyOf(nodes: readonly SqlNode[]): string {
  return [...leaves(nodes)].map(leafText).join(' ');
}

function leafText(leaf: Exclude<SqlNode, { kind: 'group' }>): string {
  return leaf.kind === 'parameter' ? `@${leaf.name}` : leaf.text;
}

/** Identifiers without their quotes; includes keywords and functions. */
export function namesIn(nodes: readonly SqlNode[]): ReadonlySet<string> {
  return new Set([...leaves(nodes)].flatMap((leaf) => nameOf(leaf) ?? []));
}

/** The name of a bare or quoted identifier. */
export function nameOf(node: SqlNode | undefined): string | undefined {
  if (node?.kind !== 'token') return undefined;
  return node.word !== '' || /^["`“]/.test(node.text) ? identifierName(node.text) : undefined;
}

/** A bare word in upper case; '' for anything else. */
export function wordOf(node: SqlNode | undefined): string {
  return node?.kind === 'token' ? node.word : '';
}

export function isToken(node: SqlNode | undefined, text: string): boolean {
  return node?.kind === 'token' && node.text === text;
}

/** The parts between nodes for which `separator` is true. */
export function splitAt(
  nodes: readonly SqlNode[],
  isSeparator: (node: SqlNode, index: number) => boolean,
): readonly (readonly SqlNode[])[] {
  const parts: SqlNode[][] = [[]];
  for (const [index, node] of nodes.entries()) {
    if (isSeparator(node, index)) parts.push([]);
    else parts.at(-1)?.push(node);
  }
  return parts;
}

/** The parts between commas. */
export function itemsOf(nodes: readonly SqlNode[]): readonly (readonly SqlNode[])[] {
  return splitAt(nodes, (node) => node.kind === 'token' && node.text === ',');
}
