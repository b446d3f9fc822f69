// The nodes that a node of a pipe reads, of its own pipe and of others, as the WITH clause of its query.
import { isSignificant, tokenize } from '../../../../sql/clickhouse/lexer.ts';
import type { ExportFile } from '../../export/document.ts';
import { bareTables } from '../../qualify-tables.ts';

export interface PipeNode {
  readonly name: string;
  readonly sql: string;
  /** The offset of the SQL in the file. */
  readonly start: number;
  readonly type: string;
  readonly description: string | undefined;
  /** The instructions after its SQL, by name. */
  readonly options?: ReadonlyMap<string, string>;
}

export interface Pipe {
  readonly name: string;
  readonly file: ExportFile;
  readonly nodes: readonly PipeNode[];
  readonly description: string | undefined;
  /** The nodes that answer calls; empty for pipes that write rows. */
  readonly endpoints: readonly PipeNode[];
}

/** What a node reads, in the order in which it can be written; `reason`: it cannot. */
export interface UsedNodes {
  readonly nodes: readonly PipeNode[];
  readonly reason?: string;
}

/** What the node reads, directly or not. */
export function usedNodes(node: PipeNode, nodes: readonly PipeNode[]): UsedNodes {
  const byName = new Map(nodes.map((each) => [each.name, each]));
  const used = new Set<PipeNode>();
  const circle = collect(node, { byName, used, open: [] });
  return {
    nodes: [...used],
    ...(circle === undefined ? {} : { reason: `The nodes ${circle.join(' → ')} read each other` }),
  };
}

interface Collecting {
  readonly byName: ReadonlyMap<string, PipeNode>;
  readonly used: Set<PipeNode>;
  readonly open: readonly PipeNode[];
}

/** The names of nodes that read each other, if there are any. */
function collect(node: PipeNode, { byName, used, open }: Collecting): readonly string[] | undefined {
  for (const name of tablesOf(node.sql)) {
    const found = byName.get(name);
    if (found === undefined || found === node || used.has(found)) continue; // a node can have the name of its table
    if (open.includes(found)) return [...open, node, found].map((each) => each.name);
    const circle = collect(found, { byName, used, open: [...open, node] });
    if (circle !== undefined) return circle;
    used.add(found);
  }
  return undefined;
}

const MAX_INLINED = 100_000;

/** The nodes of the pipe, and the other pipes that it reads; the place of those is the end of the file. */
export function withPipes(
  pipe: Pipe,
  byName: ReadonlyMap<string, Pipe>,
  known = new Map<string, UsedNodes>(),
  open: readonly string[] = [],
): UsedNodes {
  const path = [...open, pipe.name];
  const own = new Set(pipe.nodes.map((node) => node.name));
  const nodes: PipeNode[] = [];
  for (const name of new Set(pipe.nodes.flatMap(({ sql }) => [...tablesOf(sql)]))) {
    const other = byName.get(name);
    const [endpoint] = other?.endpoints ?? [];
    if (other === undefined || endpoint === undefined || other === pipe || own.has(name)) continue;
    if (path.includes(name))
      return { nodes, reason: `The pipes ${[...path, name].join(' → ')} read each other` };
    const inner = known.get(name) ?? withPipes(other, byName, known, path);
    known.set(name, inner);
    const { sql, reason = inner.reason } = joined(endpoint, inner.nodes);
    if (reason !== undefined) return { nodes, reason };
    if (sql.length > MAX_INLINED)
      return { nodes, reason: `The pipe ${name} is longer than ${MAX_INLINED} characters` };
    nodes.push({ name, sql, start: pipe.file.text.length, type: '', description: undefined });
  }
  return { nodes: [...nodes, ...pipe.nodes] };
}

interface Joined {
  readonly sql: string;
  /** The offset in the file of an offset of `sql`. */
  readonly offset: (at: number) => number;
  readonly used: readonly PipeNode[];
  readonly reason?: string;
}

/** The node's SQL with the nodes that it reads, directly or not. */
export function joined(node: PipeNode, nodes: readonly PipeNode[]): Joined {
  const { nodes: used, reason } = usedNodes(node, nodes);
  const { start } = trimmed(node);
  const rest = { used, ...(reason === undefined ? {} : { reason }) };
  const isTemplate = [...used, node].some(({ sql }) => MARK.test(sql));
  const add = (text: string): NodePiece => ({ text, start, isCopied: false });
  const mark = add(isTemplate ? '%\n' : '');
  if (used.length === 0) return { ...written([mark, ...linesOf(node)]), ...rest };
  const pieces: NodePiece[] = [mark, add('WITH ')];
  for (const [index, each] of used.entries())
    pieces.push(add(`${index === 0 ? '' : ',\n'}${each.name} AS (\n`), ...linesOf(each), add('\n)'));
  const [first, ...lines] = linesOf(node);
  const keyword = /^with\b/i.exec(first?.text ?? '')?.[0] ?? '';
  pieces.push(add(keyword === '' ? '\n' : ',\n'));
  if (first !== undefined) pieces.push(from(first, keyword.length));
  return { ...written([...pieces, ...lines]), ...rest };
}

function offsetIn(pieces: readonly NodePiece[], at: number): number {
  let passed = 0;
  for (const { text, start, isCopied } of pieces) {
    if (at < passed + text.length) return isCopied ? start + at - passed : start;
    passed += text.length;
  }
  const last = pieces.at(-1);
  return last === undefined ? 0 : last.start + last.text.length;
}

function written(pieces: readonly NodePiece[]): Pick<Joined, 'sql' | 'offset'> {
  return { sql: pieces.map(({ text }) => text).join(''), offset: (at) => offsetIn(pieces, at) };
}

/** A placeholder, tag or comment of a template. */
const TAG = /\{\{[^]*?\}\}|\{%[^]*?%\}|\{#[^]*?#\}/g;

/** Names of tables without a database; those of all alternatives, where tags choose one. */
export function tablesOf(sql: string): ReadonlySet<string> {
  const { text } = withoutMark({ text: sql, start: 0, isCopied: true });
  // A tag can separate alternatives: `FROM {% if a %} x {% else %} y {% end %}`.
  const plain = text.replace(TAG, (tag) => (tag.startsWith('{%') ? ' , ' : " '' "));
  return new Set(bareTables(plain).map(({ name }) => name));
}

/** The offset is where the part is in the file, or where it is reported. */
interface NodePiece {
  readonly text: string;
  readonly start: number;
  readonly isCopied: boolean;
}

interface SourceNode {
  readonly sql: string;
  /** It is the offset of the SQL in the file. */
  readonly start: number;
}

/** A template begins with `%`. */
const MARK = /^\s*%\s*/;

/** Removes white space around the SQL, and a semicolon at its end. */
export function trimmed({ sql, start }: SourceNode): NodePiece {
  const text = sql.trimStart();
  return {
    text: text.trimEnd().replace(/;\s*$/, ''),
    start: start + sql.length - text.length,
    isCopied: true,
  };
}

function withoutMark(piece: NodePiece): NodePiece {
  return from(piece, MARK.exec(piece.text)?.[0].length ?? 0);
}

function from({ text, start, isCopied }: NodePiece, length: number): NodePiece {
  return { text: text.slice(length), start: start + length, isCopied };
}

/** Removes the indentation that all lines have, unless a string has several lines. */
function linesOf(node: SourceNode): readonly NodePiece[] {
  const whole = withoutMark(trimmed(node));
  const lines = whole.text.split(/(?<=\n)/);
  const hasLongToken = tokenize(whole.text).some(
    (token) => isSignificant(token) && whole.text.slice(token.start, token.end).includes('\n'),
  );
  const margin = hasLongToken ? '' : marginOf(node, whole, lines);
  let at = 0;
  return lines.map((line, index) => {
    const length = index > 0 && line.startsWith(margin) ? margin.length : 0;
    const piece = from({ text: line, start: whole.start + at, isCopied: true }, length);
    at += line.length;
    return piece;
  });
}

/** Returns the white space that begins all lines of a node; the first line counts if nothing is before it. */
function marginOf({ sql, start }: SourceNode, whole: NodePiece, lines: readonly string[]): string {
  const before =
    sql
      .slice(0, whole.start - start)
      .split('\n')
      .at(-1) ?? '';
  const indentations = [
    ...(before.trim() === '' ? [before] : []),
    ...lines.slice(1).flatMap((line) => (line.trim() === '' ? [] : [/^[ \t]*/.exec(line)?.[0] ?? ''])),
  ];
  let [margin = ''] = indentations;
  for (const each of indentations) while (!each.startsWith(margin)) margin = margin.slice(0, -1);
  return margin;
}
