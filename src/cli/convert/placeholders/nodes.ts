// A text with placeholders as a tree: SQL as written, values, generated SQL and parts that depend on conditions.
import type { Declaration } from './template.ts';
import { readRegions, type Mark, type MarkEnd, type Region, type RegionKind } from './source-lexer.ts';
import { MAX_MARKS, type TemplateDialect } from './template.ts';

/** One use of a parameter. Properties that the tool does not state are absent. */
export interface Value extends Omit<Declaration, 'isRange' | 'filter' | 'text' | 'reason'> {
  /** The tool inserts the value as SQL, and the text does not quote it: it can be a name or an expression. */
  readonly isRaw?: boolean;
  /** The default applies even if a condition asks whether the value is given. */
  readonly hasOneDefault?: boolean;
  /** The tool escapes `%` in the text of the value, so that LIKE looks for the character. `named`: the text is the pattern of an alias. */
  readonly hasLiteralPercent?: boolean | 'named';
  /** SQL by name: the caller chooses among these. */
  readonly choices?: Readonly<Record<string, string>>;
}

/** A use of a declared parameter. */
export function valueOf(declaration: Declaration): Value {
  const { isRange: _, filter: __, text: ___, reason: ____, ...value } = declaration;
  return value;
}

/** When a part of the text is used. */
export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'given'; readonly value: Value }
  | { readonly kind: 'truthy'; readonly value: Value }
  | {
      readonly kind: 'compare';
      readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=';
      readonly value: Value;
      /** A literal, or another value. */
      readonly right: string | number | boolean | Value;
    }
  /** SQL that is true or false if all these values are given, and false otherwise. */
  | { readonly kind: 'computed'; readonly parts: readonly Part[]; readonly values: readonly Value[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] };

/** Generated SQL: text, literals, values, source text (read as a template, too), and names of ClickHouse functions. */
export type Part =
  | string
  /** `isAsked`: in a condition that has a result without the value. */
  | { readonly kind: 'value'; readonly value: Value; readonly isAsked?: true }
  | { readonly kind: 'source'; readonly start: number; readonly end: number }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'function'; readonly name: string };

/** What a placeholder or tag means. */
export type Item =
  | { readonly kind: 'value'; readonly value: Value }
  | {
      readonly kind: 'sql';
      readonly parts: readonly Part[];
      readonly note?: ItemNote;
      /** A condition that holds if its values are not given. */
      readonly isOptional?: boolean;
    }
  /** Inserted as it is, also into strings. */
  | { readonly kind: 'inserted'; readonly text: string }
  | { readonly kind: 'open'; readonly when: Condition }
  /** `lost`: the condition is not supported, and with it the alternatives. */
  | { readonly kind: 'elif'; readonly when: Condition; readonly lost?: Lost }
  /** `[[`: the condition is that all values inside are given. */
  | { readonly kind: 'open_optional' }
  | { readonly kind: 'loop'; readonly message: string; readonly hint?: string }
  | { readonly kind: 'else' }
  | { readonly kind: 'close' }
  | { readonly kind: 'dropped'; readonly note?: ItemNote }
  /** The name of a column or table, by a value. */
  | {
      readonly kind: 'name';
      readonly value: Value;
      readonly what: string;
      /** The names that there are, for a template that lists none. */
      readonly known?: readonly string[];
      /** The tool makes a list of names of a list of values. */
      readonly isList?: boolean;
    }
  /** The call is rejected. */
  | { readonly kind: 'reject'; readonly name: string }
  | ({ readonly kind: 'lost' } & Lost);

export interface Lost {
  readonly message: string;
  readonly hint?: string;
}

export interface ItemNote extends Lost {
  readonly severity: 'not_converted' | 'differs' | 'note';
}

export interface Arm {
  readonly when: Condition;
  readonly body: readonly Node[];
}

export type Node = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'text' }
  | {
      readonly kind: 'item';
      readonly item: PlacedItem;
    }
  | { readonly kind: 'string'; readonly region: Region; readonly parts: readonly Node[] }
  /** `isQuery`: its alternatives are whole queries, and nothing else stands beside them. */
  | { readonly kind: 'choice'; readonly arms: readonly Arm[]; readonly isQuery?: true }
  | { readonly kind: 'optional'; readonly body: readonly Node[] }
  | ({ readonly kind: 'unsupported' } & Lost)
);

/** An item that is no tag. */
export type PlacedItem = Extract<
  Item,
  { kind: 'value' | 'sql' | 'inserted' | 'dropped' | 'name' | 'reject' | 'lost' }
>;

/** How a tool's placeholders are found and read. */
export interface Syntax {
  readonly markEnd: MarkEnd;
  /** Also called for marks in strings and comments, as `inside` says. */
  readonly interpret: (mark: Mark, inside: RegionKind) => Item;
}

export interface NodeSource {
  readonly text: string;
  readonly dialect: TemplateDialect;
  readonly syntax: Syntax;
  /** Alternatives are optional parts if that is possible, also where they could be conditions or values. */
  readonly prefersParts?: boolean | undefined;
}

/** The nodes of the text, or of a part of it; `problem` if its tags do not match or there are too many. */
export function readNodes(source: NodeSource): { readonly nodes: readonly Node[]; readonly problem?: Lost } {
  const regions = readRegions(source.text, source.dialect, source.syntax.markEnd);
  const count = regions.reduce((sum, { marks }) => sum + marks.length, 0);
  if (count > MAX_MARKS)
    return { nodes: [], problem: { message: `The query has more than ${MAX_MARKS} placeholders and tags` } };
  return nest(regions.flatMap((region) => flatNodes(region, source)));
}

type Tag = Extract<Item, { kind: 'open' | 'elif' | 'else' | 'close' | 'open_optional' | 'loop' }>;
type FlatNode =
  | Node
  | ({ readonly kind: 'tag'; readonly start: number; readonly end: number } & { readonly tag: Tag });

function flatNodes(region: Region, { syntax }: NodeSource): readonly FlatNode[] {
  const { kind, start, end, marks } = region;
  if (marks.length === 0) return [{ kind: 'text', start, end }];
  const nodes = between(region, (mark) => nodeOf(mark, syntax.interpret(mark, kind)));
  if (kind === 'code') return nodes;
  if (kind === 'comment') return nodes.filter((node) => node.kind === 'tag'); // tools evaluate tags in comments, too
  const parts = nodes.filter((node) => node.kind !== 'tag');
  if (parts.length === nodes.length) return [{ kind: 'string', start, end, region, parts }];
  const message = 'A part of a string that depends on a condition is not supported';
  return [{ kind: 'item', start, end, item: { kind: 'lost', message } }];
}

function between({ start, end, marks, open, close }: Region, read: (mark: Mark) => FlatNode): FlatNode[] {
  const nodes: FlatNode[] = [];
  let at = start + open;
  for (const mark of marks) {
    if (mark.start > at) nodes.push({ kind: 'text', start: at, end: mark.start });
    nodes.push(read(mark));
    at = mark.end;
  }
  if (end - close > at) nodes.push({ kind: 'text', start: at, end: end - close });
  return nodes;
}

function nodeOf({ start, end }: Mark, item: Item): FlatNode {
  switch (item.kind) {
    case 'open':
    case 'elif':
    case 'else':
    case 'close':
    case 'open_optional':
    case 'loop':
      return { kind: 'tag', start, end, tag: item };
    case 'value':
    case 'sql':
    case 'inserted':
    case 'dropped':
    case 'name':
    case 'reject':
    case 'lost':
      return { kind: 'item', start, end, item };
  }
}

interface OpenBlock {
  readonly start: number;
  tag: Extract<Tag, { kind: 'open' | 'open_optional' | 'loop' }>;
  readonly arms: { readonly when: Condition; readonly body: Node[] }[];
}

/** Pairs opening and closing tags. Nesting is bounded: what is rendered later recurses. */
const MAX_NESTING = 20;

function nest(flat: readonly FlatNode[]): { readonly nodes: readonly Node[]; readonly problem?: Lost } {
  const root: Node[] = [];
  const levels: OpenBlock[] = [];
  const body = (): Node[] => levels.at(-1)?.arms.at(-1)?.body ?? root;
  const failed = (message: string) => ({ nodes: root, problem: { message } });
  for (const node of flat) {
    if (node.kind !== 'tag') {
      body().push(node);
      continue;
    }
    const { tag, start } = node;
    const level = levels.at(-1);
    if (tag.kind === 'open' || tag.kind === 'open_optional' || tag.kind === 'loop') {
      if (levels.length >= MAX_NESTING) return failed(`Tags nest deeper than ${MAX_NESTING} levels`);
      const when = tag.kind === 'open' ? tag.when : ALWAYS;
      levels.push({ start, tag, arms: [{ when, body: [] }] });
    } else if (level === undefined) return failed('A closing tag has no opening tag');
    else if (tag.kind === 'close') {
      levels.pop();
      body().push(closed(level, node.end));
    } else {
      if (tag.kind === 'elif' && tag.lost !== undefined) level.tag = { kind: 'loop', ...tag.lost };
      level.arms.push({ when: tag.kind === 'elif' ? tag.when : ALWAYS, body: [] });
    }
  }
  return levels.length === 0 ? { nodes: root } : failed('An opening tag has no closing tag');
}

export const ALWAYS: Condition = { kind: 'constant', value: true };

function closed({ start, tag, arms }: OpenBlock, end: number): Node {
  if (tag.kind === 'loop')
    return {
      kind: 'unsupported',
      start,
      end,
      message: tag.message,
      ...(tag.hint === undefined ? {} : { hint: tag.hint }),
    };
  if (tag.kind === 'open_optional') return { kind: 'optional', start, end, body: arms[0]?.body ?? [] };
  return { kind: 'choice', start, end, arms };
}

/** The values that an item uses, in order. */
export function valuesOf(item: Item): readonly Value[] {
  if (item.kind === 'value' || item.kind === 'name') return [item.value];
  if (item.kind !== 'sql') return [];
  return item.parts.flatMap((part) =>
    typeof part === 'object' && part.kind === 'value' ? [part.value] : [],
  );
}
