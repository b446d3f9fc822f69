// A YAML 1.2 document with positions: every value can be traced back to its place in the text.
import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument, Scalar, visit } from 'yaml';
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import type { Diagnostic } from '../core/diagnostic.ts';
import { positionAt, type Position } from '../core/position.ts';

/** Keys and indexes from the top of a document to a value. */
export type Path = readonly (string | number)[];

/** A parsed document. Not guaranteed: that its value has the shape of any schema. */
export interface YamlDocument {
  readonly file: string;
  readonly text: string;
  /** Plain data: maps, lists, strings, numbers, booleans and null. */
  readonly value: unknown;
  /** Where the value at `path` stands; the nearest ancestor that exists when it does not. */
  locate(path: Path): Position;
  /** Where the last key of `path` stands; like `locate` for lists. */
  locateKey(path: Path): Position;
  /** Where the character `offset` (UTF-16 units) of the text at `path` stands, also in block scalars. */
  locateInside(path: Path, offset: number): Position;
}

export const MAX_DOCUMENT_BYTES = 1_048_576;
const MAX_ALIASES = 100;
const MAX_DEPTH = 64;

/** Parses one document; all findings (duplicate keys, bad indentation, several documents, …), or the document. */
export function parseYaml(
  file: string,
  text: string,
): { readonly document: YamlDocument } | { readonly diagnostics: readonly Diagnostic[] } {
  const finding = (offset: number, code: string, message: string): Diagnostic => ({
    file,
    ...positionAt(text, offset),
    severity: 'error',
    code: `yaml.${code}`,
    message,
  });
  const obstacle = findObstacle(text);
  if (obstacle !== undefined)
    return { diagnostics: [finding(obstacle.offset, obstacle.code, obstacle.message)] };

  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const problems = [...parsed.errors, ...parsed.warnings];
  if (problems.length > 0) {
    const end = text.trimEnd().length; // what is never closed is noticed at the end of the file
    return {
      diagnostics: problems.map(({ pos, code, message }) =>
        finding(Math.min(pos[0], end), code.toLowerCase(), MESSAGES[code] ?? lowerFirst(message)),
      ),
    };
  }
  const dangling = danglingAliases(parsed);
  if (dangling.length > 0) {
    return {
      diagnostics: dangling.map(({ at, name }) =>
        finding(at, 'unknown_alias', `no &${name} stands before *${name}`),
      ),
    };
  }
  const value = toPlain(parsed);
  if (value instanceof Error) return { diagnostics: [finding(0, 'bad_alias', value.message)] };
  return { document: createDocument({ file, text, value }, parsed) };
}

/** What must be refused before the parser sees it: texts that are not text, or that nest too deeply to recurse over. */
function findObstacle(text: string): { offset: number; code: string; message: string } | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/u.exec(text);
  if (control) {
    const message =
      control[0] === '\ufffd' ? 'the file is not valid UTF-8' : 'the file holds a control character';
    return { offset: control.index, code: 'bad_character', message };
  }
  const offset = tooDeepAt(text);
  if (offset === undefined) return undefined;
  return { offset, code: 'too_deep', message: `the document nests deeper than ${MAX_DEPTH} levels` };
}

/** Bounds the parser's recursion from above: flow brackets open at once, and block indicators in front of a line. */
function tooDeepAt(text: string): number | undefined {
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text[i];
    if (unit === '[' || unit === '{') open++;
    else if ((unit === ']' || unit === '}') && open > 0) open--;
    else if (unit === '\n') {
      const prefix = /^[ \t]*(?:[-?:][ \t]+)*/.exec(text.slice(i + 1, i + 1 + MAX_DEPTH * 4))?.[0] ?? '';
      if (prefix.replace(/[^-?:]/g, '').length > MAX_DEPTH) return i + 1;
    }
    if (open > MAX_DEPTH * 8) return i;
  }
  return undefined;
}

/** Messages of the parser that speak of its own functions. */
const MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a file holds one document: remove the line --- and what follows it',
};

/** Findings are phrases, not sentences. */
function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function danglingAliases(parsed: Document.Parsed): { at: number; name: string }[] {
  const dangling: { at: number; name: string }[] = [];
  visit(parsed, {
    Alias(_, node) {
      if (node.resolve(parsed) === undefined) dangling.push({ at: node.range?.[0] ?? 0, name: node.source });
    },
  });
  return dangling;
}

function toPlain(parsed: Document.Parsed): unknown {
  try {
    return parsed.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    return new Error('the document uses too many aliases', { cause });
  }
}

function createDocument(
  base: { file: string; text: string; value: unknown },
  parsed: Document.Parsed,
): YamlDocument {
  const { text } = base;
  const at = (node: Node | null | undefined): Position => positionAt(text, node?.range?.[0] ?? 0);
  return {
    ...base,
    locate: (path) => at(nodeAt(parsed, path)),
    locateKey(path) {
      const parent = nodeAt(parsed, path.slice(0, -1));
      const pair = isMap(parent) ? pairOf(parent, path.at(-1)) : undefined;
      return isNode(pair?.key) ? at(pair.key) : at(nodeAt(parsed, path));
    },
    locateInside(path, offset) {
      const node = nodeAt(parsed, path);
      return isScalar(node) ? insideScalar(text, node, offset) : at(node);
    },
  };
}

function nodeAt(parsed: Document.Parsed, path: Path): Node | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = parsed.getIn(path.slice(0, length), true);
    if (isNode(node)) return node;
  }
  return parsed.contents ?? undefined;
}

function pairOf(map: YAMLMap, key: string | number | undefined): Pair | undefined {
  return map.items.find(
    (pair) => isPair(pair) && isScalar(pair.key) && String(pair.key.value) === String(key),
  );
}

function insideScalar(text: string, node: Scalar, offset: number): Position {
  const start = node.range?.[0] ?? 0;
  const value = String(node.value);
  if (node.type === Scalar.BLOCK_LITERAL) return insideBlock(text, { start, value }, offset);
  const contentStart = text[start] === '"' || text[start] === "'" ? start + 1 : start;
  const isVerbatim = text.startsWith(value, contentStart);
  return positionAt(text, isVerbatim ? contentStart + offset : start);
}

/** In a literal block each line of the value is the end of a line of the file: what precedes it is indentation. */
function insideBlock(text: string, block: { start: number; value: string }, offset: number): Position {
  const inValue = positionAt(block.value, offset);
  const header = positionAt(text, block.start).line;
  const fileLine = text.split(/\r\n|\r|\n/)[header + inValue.line - 1] ?? '';
  const valueLine = block.value.split('\n')[inValue.line - 1] ?? '';
  const indent = Math.max(0, fileLine.length - valueLine.length);
  return { line: header + inValue.line, column: indent + inValue.column };
}
