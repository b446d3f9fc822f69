// The outline of a saved query, read from its tree: WITH elements, the main SELECT, a trailing SETTINGS clause.
import type { SqlFinding } from './finding.ts';
import type { Node, Tree } from './tree/nodes.ts';
import { parseSavedText } from './tree/parse.ts';
import { membersOf, nameOf, partOf, sourceOf, spanOf, textOf, wordOf } from './tree/visit.ts';
import { afterGroup, findingAt, nameTokens, unreadableNames } from './tree/tokens.ts';

/** One element of a WITH clause; offsets are into the query that was read. */
export interface WithElement {
  /**
   * table: `name AS (SELECT …)`; hidden: the same, but not for consumer queries; scalar: `(SELECT …) AS name`; expression: anything
   * else, lambdas included.
   */
  readonly kind: 'table' | 'hidden' | 'scalar' | 'expression';
  /** The name that it defines. */
  readonly name: string;
  /** The name as written, possibly quoted. */
  readonly nameText: string;
  readonly nameStart: number;
  /** The whole element, excluding the commas around it. */
  readonly start: number;
  readonly end: number;
  /** The subquery with its parentheses (table, scalar), or the expression. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/** `name = value`, the value as written. */
export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The clause from its keyword to the end of the query. */
export interface SettingsClause {
  readonly start: number;
  readonly end: number;
  readonly items: readonly Setting[];
}

/** What the sandbox and the compiler need to know about a query; offsets are into the query that was read. */
export interface Outline {
  readonly recursive: boolean;
  /** The WITH clause from its keyword to the main SELECT, exclusive; an empty range if there is none. */
  readonly withStart: number;
  readonly withEnd: number;
  readonly elements: readonly WithElement[];
  /** Start of the main SELECT (or FROM-first query, or opening parenthesis). */
  readonly mainStart: number;
  /** Its end: before a trailing SETTINGS clause. */
  readonly mainEnd: number;
  readonly settings: SettingsClause | undefined;
  /** The name that the main SELECT reads from, if it reads from a single bare name. */
  readonly from: string | undefined;
  /** The same, unless consumers may not read that table. */
  readonly defaultTable: string | undefined;
  /** Every identifier and keyword of the query, unquoted, as written. */
  readonly identifiers: ReadonlySet<string>;
}

/** The outline of a query, or why there is none. */
export interface OutlineResult {
  /** Undefined exactly when there are findings. */
  readonly outline: Outline | undefined;
  readonly findings: readonly SqlFinding[];
}

/** Returns whether the element is a table of the saved query, also if consumers may not read it. */
export function isTable({ kind }: Pick<WithElement, 'kind'>): boolean {
  return kind === 'table' || kind === 'hidden';
}

/** The outline of one SELECT without `@name` placeholders (see `bindPlaceholders`). */
export function outlineQuery(sql: string): OutlineResult {
  return outlineOf(parseSavedText(sql));
}

/**
 * The same, of a tree, which may have a fault: an element of the WITH clause, or the main query, may be of a form that is not known. Anything
 * else that is not understood is a finding. Not guaranteed: that the engine accepts the query.
 */
export function outlineOf(tree: Tree): OutlineResult {
  const { cursor } = tree;
  const brackets = cursor.brackets();
  if ('code' in brackets) return { outline: undefined, findings: [brackets] };
  const findings: SqlFinding[] = [];
  const members = membersOf(tree.root);
  const [first] = members;
  const clause = first && partOf(first, 'with');
  const elements = elementsOf(tree, clause, findings);
  const main = clause?.to ?? 0;
  if (!/^(?:SELECT|FROM|\()$/.test(wordOf(tree, { at: main })))
    findings.push(
      findingAt(tree, 'not_select', 'a saved query is a SELECT, with or without a WITH clause', main),
    );
  const settings = settingsOf(tree, members, findings);
  for (const at of unreadableNames(tree)) findings.push(findingAt(tree, 'identifier_escaped', ESCAPED, at));
  if (findings.length > 0) return { outline: undefined, findings };
  const mainStart = cursor.start(main);
  const from = singleSource(tree, members);
  const outline: Outline = {
    recursive: clause !== undefined && wordOf(tree, clause) === 'RECURSIVE',
    withStart: clause === undefined ? mainStart : cursor.start(0),
    withEnd: clause === undefined ? mainStart : cursor.end(main - 1),
    elements,
    mainStart,
    mainEnd: settings === undefined ? cursor.end(cursor.length - 1) : cursor.end(settings.from - 1),
    settings: settings && { ...spanOf(tree, settings), items: itemsOf(tree, settings) ?? [] },
    from,
    defaultTable: from,
    identifiers: new Set(nameTokens(tree).map(({ name }) => name)),
  };
  return { outline, findings };
}

/** The outline if consumers may read only these tables of the WITH clause; undefined: all of them. */
export function withReadable(outline: Outline, readable: readonly string[] | undefined): Outline {
  if (readable === undefined) return outline;
  const names = new Set(readable);
  const elements = outline.elements.map((element) =>
    isTable(element) && !names.has(element.name) ? { ...element, kind: 'hidden' as const } : element,
  );
  const isHidden = elements.some(({ kind, name }) => kind === 'hidden' && name === outline.from);
  return { ...outline, elements, defaultTable: isHidden ? undefined : outline.from };
}

const ESCAPED = 'a quoted name must not contain a backslash here';

function elementsOf(tree: Tree, clause: Node | undefined, findings: SqlFinding[]): readonly WithElement[] {
  const elements: WithElement[] = [];
  const seen = new Set<string>();
  for (const part of clause?.parts ?? []) {
    const element = part.kind === 'with-table' ? tableOf(tree, part) : expressionOf(tree, part);
    if ('code' in element) {
      findings.push(element);
      continue;
    }
    elements.push(element);
    // Two names that differ only in case would confuse readers.
    const folded = element.name.toLowerCase();
    const message = `the WITH clause defines ${element.name} twice`;
    if (seen.has(folded)) findings.push(findingAt(tree, 'with_duplicate', message, part.at));
    seen.add(folded);
  }
  return elements;
}

/** `name [(columns)] AS [[NOT] MATERIALIZED] (SELECT …)`. */
function tableOf(tree: Tree, part: Node): WithElement | SqlFinding {
  const body = partOf(part, 'subquery');
  if (body === undefined || body.parts.length === 0 || afterGroup(tree, body.from) !== part.to) {
    const message = 'name AS (…) in a WITH clause must contain a single SELECT';
    return findingAt(tree, 'with_invalid', message, body?.from ?? part.from);
  }
  return named(tree, part, { kind: 'table', from: body.from, to: part.to });
}

/** `expression AS name`. */
function expressionOf(tree: Tree, part: Node): WithElement | SqlFinding {
  const { from, at } = part;
  if (at - 1 <= from || at + 1 !== part.to || wordOf(tree, { at: at - 1 }) !== 'AS') {
    const message = 'an element of a WITH clause is written name AS (SELECT …) or expression AS name';
    return findingAt(tree, 'with_invalid', message, from);
  }
  const isScalar = part.parts[0]?.kind === 'subquery' && afterGroup(tree, from) === at - 1;
  return named(tree, part, { kind: isScalar ? 'scalar' : 'expression', from, to: at - 1 });
}

function named(
  tree: Tree,
  part: Node,
  { kind, from, to }: { readonly kind: WithElement['kind']; readonly from: number; readonly to: number },
): WithElement | SqlFinding {
  const name = nameOf(tree, part);
  if (name === '') return findingAt(tree, 'identifier_escaped', ESCAPED, part.at);
  const nameToken = { from: part.at, to: part.at + 1 };
  const body = spanOf(tree, { from, to });
  return {
    kind,
    name,
    nameText: textOf(tree, nameToken),
    nameStart: spanOf(tree, nameToken).start,
    ...spanOf(tree, part),
    bodyStart: body.start,
    bodyEnd: body.end,
  };
}

/** The clause of the main query; a finding if one is not at the end, or has other values than single ones. */
function settingsOf(tree: Tree, members: readonly Node[], findings: SqlFinding[]): Node | undefined {
  const all = members.flatMap((each) =>
    each.kind === 'settings' ? [each] : (partOf(each, 'settings') ?? []),
  );
  // `name =` makes it the keyword.
  const settings = all.find(
    ({ parts: [first] }) => first !== undefined && wordOf(tree, { at: first.at + 1 }) === '=',
  );
  if (settings === undefined) return undefined;
  if (settings.to === tree.cursor.length && itemsOf(tree, settings) !== undefined) return settings;
  const message = 'SETTINGS must be at the end, as name = value, with numbers, strings or names as values';
  findings.push(findingAt(tree, 'settings_invalid', message, settings.from));
  return undefined;
}

const SINGLE = /^(?:\w+|[-+]?\s*[\d.][\w.+-]*|'.*')$/s;

function itemsOf(tree: Tree, { parts, isWhole }: Node): readonly Setting[] | undefined {
  const items = parts.map((part): Setting => ({
    name: textOf(tree, { from: part.at, to: part.at + 1 }),
    value: sourceOf(tree, { from: part.at + 2, to: part.to }),
    ...spanOf(tree, part),
  }));
  const isSingle = parts.every(({ parts: [value], at }, index) => {
    const kind = value?.kind ?? '';
    return (
      ['number', 'string', 'constant', 'column'].includes(kind) &&
      SINGLE.test(items[index]?.value ?? '') &&
      /^\w/.test(textOf(tree, { from: at, to: at + 1 }))
    );
  });
  return isWhole && isSingle ? items : undefined;
}

/** The single name after a single FROM; undefined for joins, unions, functions, subqueries and qualified names. */
function singleSource(tree: Tree, members: readonly Node[]): string | undefined {
  const [main, ...others] = members.filter(({ kind }) => kind !== 'settings');
  const sources = (main && partOf(main, 'from')?.parts) ?? [];
  const [source] = sources;
  const [table] = source?.parts ?? [];
  if (others.length > 0 || sources.length !== 1 || table?.kind !== 'table' || table.to !== table.from + 1)
    return undefined;
  return nameOf(tree, table) || undefined;
}
