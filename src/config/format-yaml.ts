// Endpoint files written in one form: keys in the schema's order, comments along with them, values exactly as they were.
import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, parseDocument, visit } from 'yaml';
import type { Document, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { readSchema, type SchemaName } from './schema.ts';

/** Keys that begin a block of their own. */
const BLOCKS: ReadonlySet<string> = new Set(['query', 'parameters', 'max_rows', 'fixtures', 'examples']);

/**
 * The text in the form that all files have. The text has to be valid YAML and a mapping; anything else is given back as it is.
 * @throws Error when a value would change, which is a defect here.
 */
export function formatYaml(text: string, name: SchemaName): string {
  const document = parseDocument(text.replace(/\r\n?/g, '\n'));
  const root = document.contents;
  if (document.errors.length > 0 || !isMap(root)) return text;
  const before: unknown = document.toJS();
  order(document, root, keysOf(name));
  for (const [index, pair] of root.items.entries()) space(pair, index);
  visit(document, { Map: (_, map) => pad(map, ' '), Seq: (_, list) => pad(list, '') });
  const printed = document.toString({ lineWidth: 0, indentSeq: true });
  const formatted = `${printed.replace(/[ \t]+$/gm, (blanks, at: number) => (isInBlock(printed, at) ? blanks : '')).trimEnd()}\n`;
  if (!isDeepStrictEqual(parseDocument(formatted).toJS(), before))
    throw new Error('formatting would change a value; the file is left as it is');
  return formatted;
}

function keysOf(name: SchemaName): readonly string[] {
  return Object.keys(readSchema(name)['properties'] as object); // our own schema
}

/** `{ key: value }` and `[item, item]`: the library pads both or neither. */
function pad(collection: YAMLMap | YAMLSeq, flowCollectionPadding: string): void {
  const print = collection.toString.bind(collection);
  collection.toString = (context, ...rest) =>
    print(context && { ...context, flowCollectionPadding }, ...rest);
}

/** Blanks at the end of a line of a block scalar are part of its value. */
function isInBlock(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^\s/.test(line) && !/^\s*#/.test(line);
}

/** Known keys first, in their order; the others behind, in theirs. What stands above the first key stays at the top. */
function order(document: Document, root: YAMLMap, keys: readonly string[]): void {
  const rank = (pair: Pair): number => {
    const at = keys.indexOf(keyOf(pair));
    return at === -1 ? keys.length : at;
  };
  const [first] = root.items;
  const head = isNode(first?.key) ? first.key.commentBefore : undefined;
  root.items.sort((a, b) => rank(a) - rank(b));
  if (typeof head !== 'string' || root.items[0] === first || !isNode(first?.key)) return;
  first.key.commentBefore = null;
  document.commentBefore = [document.commentBefore, head].filter(Boolean).join('\n');
}

/** One blank line before each block, and wherever there was one; none at the top. */
function space(pair: Pair, index: number): void {
  if (!isNode(pair.key)) return;
  pair.key.spaceBefore = index > 0 && (pair.key.spaceBefore === true || BLOCKS.has(keyOf(pair)));
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}
