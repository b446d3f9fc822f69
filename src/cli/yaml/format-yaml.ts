// Formats endpoint files: keys in schema order, comments moved with them, values unchanged.
import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, parseDocument, visit, YAMLMap } from 'yaml';
import type { Document, Pair, YAMLSeq } from 'yaml';
import { readSchema, type SchemaName } from '../../service/config/schema-file.ts';

/** Keys preceded by an empty line. */
const BLOCKS: ReadonlySet<string> = new Set([
  'query',
  'tables',
  'parameters',
  'policies',
  'max_rows',
  'fixtures',
  'examples',
]);

/** The parser's own warnings, which quote the file, are not printed. */
const QUIET = { logLevel: 'error' } as const;

/**
 * The formatted text. Input that is not valid YAML or not a mapping is returned unchanged.
 * @throws Error if a value would change, which is a bug in the formatter.
 */
export function formatYaml(text: string, name: SchemaName): string {
  const document = parseDocument(text.replace(/\r\n?/g, '\n'), QUIET);
  const root = document.contents;
  if (document.errors.length > 0 || !isMap(root)) return text;
  const before: unknown = document.toJS();
  order(document, root, keysOf(name));
  for (const [index, pair] of root.items.entries()) space(pair, index);
  visit(document, { Map: (_, map) => pad(map, ' '), Seq: (_, list) => pad(list, '') });
  const printed = document.toString({ lineWidth: 0, indentSeq: true });
  const formatted = `${printed.replace(/[ \t]+$/gm, (spaces, at: number) => (isInBlock(printed, at) ? spaces : '')).trimEnd()}\n`;
  if (!isDeepStrictEqual(parseDocument(formatted, QUIET).toJS(), before))
    throw new Error('formatting would change a value; the file was not changed');
  return formatted;
}

function keysOf(name: SchemaName): readonly string[] {
  return Object.keys(readSchema(name)['properties'] as object); // our own schema
}

/** `{ key: value }` but `[item, item]`: the library pads both or neither. */
function pad(collection: YAMLMap | YAMLSeq, flowCollectionPadding: string): void {
  const print = collection.toString.bind(collection);
  collection.toString = (context, ...rest) =>
    print(context && { ...context, flowCollectionPadding }, ...rest);
}

/** Trailing spaces in a block scalar are part of its value. */
function isInBlock(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return line === '' || (/^\s/.test(line) && !/^\s*#/.test(line));
}

/** Returns whether each alias still stands after its anchor; otherwise the order of the keys is part of the meaning. */
function anchorsPrecede(pairs: readonly Pair[]): boolean {
  const anchors = new Set<string>();
  let isValid = true;
  const note = (_: unknown, node: { anchor?: string | undefined }): void => {
    if (node.anchor !== undefined) anchors.add(node.anchor);
  };
  const map = new YAMLMap();
  map.items = [...pairs];
  visit(map, {
    Value: note,
    Alias: (_, { source }) => {
      if (!anchors.has(source)) isValid = false;
    },
  });
  return isValid;
}

/**
 * Known keys first, in schema order, then the others in their original order. Comments above the first key stay at the
 * top.
 */
function order(document: Document, root: YAMLMap, keys: readonly string[]): void {
  const rank = (pair: Pair): number => {
    const at = keys.indexOf(keyOf(pair));
    return at === -1 ? keys.length : at;
  };
  const [first] = root.items;
  const head = isNode(first?.key) ? first.key.commentBefore : undefined;
  const sorted = root.items.toSorted((a, b) => rank(a) - rank(b));
  if (!anchorsPrecede(sorted)) return;
  root.items = sorted;
  if (typeof head !== 'string' || root.items[0] === first || !isNode(first?.key)) return;
  first.key.commentBefore = null;
  document.commentBefore = [document.commentBefore, head].filter(Boolean).join('\n');
}

/** An empty line before each block and wherever there was one, but none at the top. */
function space(pair: Pair, index: number): void {
  if (!isNode(pair.key)) return;
  pair.key.spaceBefore = index > 0 && (pair.key.spaceBefore === true || BLOCKS.has(keyOf(pair)));
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}
