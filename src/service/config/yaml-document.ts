// A YAML 1.2 document with positions: every value can be traced to its location in the file.
import {
  Composer,
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  Parser,
  visit,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { locateFindings, type Finding, type TextFinding } from '../../sql/base/finding.ts';
import { createPositions, type Position } from '../../sql/base/position.ts';
import { sourceOffset } from './scalar-offsets.ts';
import { explainFaults, findSlips } from './yaml-slips.ts';

/** Keys and indexes from the root of a document to a value. */
export type Path = readonly (string | number)[];

/** A position, and its file if it is not the document's own: that of a part which the document includes. */
export interface Location extends Position {
  readonly file?: string;
  /** The endpoint that includes that part. */
  readonly includedBy?: string;
}

/** A parsed document. Not guaranteed: that its value matches any schema. */
export interface YamlDocument {
  readonly file: string;
  readonly text: string;
  /** The same, with the texts of the files that it includes: if this is equal, the endpoint is. */
  readonly wholeText: string;
  /** Plain data: maps, lists, strings, numbers, booleans and null. */
  readonly value: unknown;
  /** The position of the value at `path`, or of its nearest existing ancestor. */
  locate(path: Path): Location;
  /** The position of the last key of `path`; same as `locate` for lists. */
  locateKey(path: Path): Location;
  /** The position of the character at `offset` (UTF-16 units) in the string at `path`, in any style. */
  locateInside(path: Path, offset: number): Location;
  /** Returns whether that character comes from another file; in constant time for a document that includes none. */
  isIncluded(path: Path, offset: number): boolean;
}

export const MAX_DOCUMENT_BYTES = 1_048_576;
/** Maximum number of anchors plus values added by aliases. */
const MAX_ALIASED = 1000;
const MAX_DEPTH = 64;
const MAX_FAULTS = 500;

/**
 * Parses one document and returns it, or its findings (duplicate keys, bad indentation, several documents, …), which
 * may be cut short. Linear time for any input.
 */
export function parseYaml(
  file: string,
  text: string,
): { readonly document: YamlDocument } | { readonly diagnostics: readonly Finding[] } {
  const positions = createPositions(text);
  const rejected = (faults: readonly TextFinding[], isCut = false) => ({
    diagnostics: locateFindings(
      faults.toSorted((a, b) => a.start - b.start),
      ({ start, code, message, hint }): Finding => ({
        file,
        ...positions(start),
        severity: 'error',
        code: `yaml.${code}`,
        message,
        ...(hint === undefined ? {} : { hint }),
      }),
      { isCut },
    ),
  });
  const obstacle = findObstacle(text);
  if (obstacle !== undefined) return rejected([obstacle]);
  const { parsed, faults, isCut } = compose(text);
  if (isCut) return rejected(faults, isCut);
  const doubles = findDuplicateKeys(parsed);
  if (faults.length + doubles.length > 0) return rejected([...explainFaults(text, faults), ...doubles]);
  const others = [...findBadAliases(parsed), ...findSlips(text, parsed)];
  if (others.length > 0) return rejected(explainFaults(text, others));
  const value: unknown = parsed.toJS({ maxAliasCount: -1 }); // bounded above
  return { document: createDocument({ file, text, value }, parsed, positions) };
}

/**
 * The parsed document and its errors. Stops after `MAX_FAULTS`: each is an Error with a stack, and a file can have as
 * many as it has characters.
 */
function compose(text: string): { parsed: Document.Parsed; faults: readonly TextFinding[]; isCut: boolean } {
  // Duplicate keys are found below in linear time: the parser compares each key of a mapping with all earlier ones.
  // The parser's own warnings, which quote the file, are not printed.
  const composer = new Composer({ version: '1.2', uniqueKeys: false, logLevel: 'error' });
  const faults: TextFinding[] = [];
  const end = text.trimEnd().length; // unclosed constructs are reported at the end of the file
  const note = (offset: number, code: string, message: string): void => {
    if (faults.length === MAX_FAULTS) throw new TooManyFaults(); // thrown again on each call, in case the parser catches it
    faults.push({
      start: Math.min(offset, end),
      code: code.toLowerCase(),
      message: MESSAGES[code] ?? lowerFirst(message),
    });
  };
  // All errors pass through this function, which is private in the library's types; a test detects if that changes.
  Reflect.set(composer, 'onError', (source: unknown, code: string, message: string) =>
    note(startOf(source), code, message),
  );
  let parsed = new Document() as Document.Parsed; // used if parsing stopped early or the file is empty
  let isCut = false;
  try {
    const [first, second] = composer.compose(new Parser().parse(text), true, text.length);
    if (first !== undefined) parsed = first;
    for (const { pos, code, message } of [...parsed.errors, ...parsed.warnings]) note(pos[0], code, message);
    if (second !== undefined) note(second.range[0], 'MULTIPLE_DOCS', '');
  } catch (error) {
    if (!(error instanceof TooManyFaults)) throw error;
    isCut = true;
  }
  return { parsed, faults, isCut };
}

class TooManyFaults extends Error {}

/** The offset of an error the parser reports: it passes an offset, a range, or a token. */
function startOf(source: unknown): number {
  if (typeof source === 'number') return source;
  if (Array.isArray(source)) return Number(source[0]);
  return typeof source === 'object' && source !== null && 'offset' in source ? Number(source.offset) : 0;
}

function findDuplicateKeys(parsed: Document.Parsed): TextFinding[] {
  const faults: TextFinding[] = [];
  visit(parsed, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const offset = key.range?.[0] ?? 0;
        if (seen.has(key.value))
          faults.push({ start: offset, code: 'duplicate_key', message: 'map keys must be unique' });
        seen.add(key.value);
      }
    },
  });
  return faults;
}

/** Rejects input before parsing: binary data, and nesting too deep for a recursive parser. */
function findObstacle(text: string): TextFinding | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/u.exec(text);
  if (control) {
    const message =
      control[0] === '\ufffd' ? 'the file is not valid UTF-8' : 'the file contains a control character';
    return { start: control.index, code: 'bad_character', message };
  }
  const offset = tooDeepAt(text);
  if (offset === undefined) return undefined;
  return { start: offset, code: 'too_deep', message: `the document nests deeper than ${MAX_DEPTH} levels` };
}

/** Bounds the parser's recursion: counts open flow brackets, and block indicators at the start of a line. */
function tooDeepAt(text: string): number | undefined {
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text[i];
    if (unit === '[' || unit === '{') open++;
    else if ((unit === ']' || unit === '}') && open > 0) open--;
    else if (unit === '\n' && ' \t-?:'.includes(text[i + 1] ?? '\n')) {
      const prefix = /^[ \t]*(?:[-?:][ \t]+)*/.exec(text.slice(i + 1, i + 1 + MAX_DEPTH * 4))?.[0] ?? '';
      if (prefix.replace(/[^-?:]/g, '').length > MAX_DEPTH) return i + 1;
    }
    if (open > MAX_DEPTH * 8) return i;
  }
  return undefined;
}

/** Replacements for parser messages that refer to the library's own functions. */
const MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a file must contain a single document: remove the line --- and everything after it',
};

/** Findings start in lower case. */
function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Aliases without a preceding anchor, and aliases that expand the value far beyond the size of the file (a "billion
 * laughs" attack).
 */
function findBadAliases(parsed: Document.Parsed): TextFinding[] {
  const faults: TextFinding[] = [];
  const sizes = new Map<string, number>(); // size of each anchored node, aliases expanded
  let added = 0;
  const sizeOf = (node: unknown): number => {
    const size = ownSize(node);
    if (!isNode(node) || !('anchor' in node) || node.anchor === undefined) return size;
    sizes.set(node.anchor, size);
    added++;
    return size;
  };
  const ownSize = (node: unknown): number => {
    if (isAlias(node)) {
      const size = sizes.get(node.source);
      const offset = node.range?.[0] ?? 0;
      const message = `no anchor &${node.source} is defined before *${node.source}`;
      if (size === undefined) faults.push({ start: offset, code: 'unknown_alias', message });
      added += size ?? 0;
      return size ?? 1;
    }
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value);
    if (!isCollection(node)) return 1;
    return node.items.reduce<number>((sum, item) => sum + sizeOf(item), 1);
  };
  sizeOf(parsed.contents);
  if (faults.length > 0 || added <= MAX_ALIASED) return faults;
  return [{ start: 0, code: 'bad_alias', message: 'the document uses too many aliases' }];
}

function createDocument(
  base: { file: string; text: string; value: unknown },
  parsed: Document.Parsed,
  positions: (offset: number) => Position,
): YamlDocument {
  const { text } = base;
  const at = (node: Node | null | undefined): Position => positions(node?.range?.[0] ?? 0);
  return {
    ...base,
    wholeText: text,
    locate: (path) => at(nodeAt(parsed, path)),
    locateKey(path) {
      const parent = nodeAt(parsed, path.slice(0, -1));
      const pair = isMap(parent) ? pairOf(parent, path.at(-1)) : undefined;
      return isNode(pair?.key) ? at(pair.key) : at(nodeAt(parsed, path));
    },
    isIncluded: () => false,
    locateInside(path, offset) {
      const found = nodeAt(parsed, path);
      const node = isAlias(found) ? found.resolve(parsed) : found;
      if (!isScalar(node)) return at(found);
      const [start = 0, end = start] = node.range ?? [];
      return positions(sourceOffset({ text, start, end, type: node.type }, String(node.value), offset));
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
