// Metabase: cards of a serialization export (YAML) and of the API (JSON).
// Source: https://www.metabase.com/docs/latest/installation-and-operation/serialization and /api/card
import type { Declaration } from '../../placeholders/template.ts';
import {
  dialectOfEngine,
  entriesOf,
  listOf,
  member,
  stringAt,
  textOf,
  type ExportDocument,
  type DocumentPath,
} from '../../export/document.ts';
import type { ForeignQuery, OtherItem, ToolReader } from '../../export/foreign-query.ts';

interface Card {
  readonly document: ExportDocument;
  readonly path: DocumentPath;
  readonly value: unknown;
}

export const METABASE: ToolReader = {
  isOwn: ({ documents }) => documents.some(isMetabase),
  read: ({ documents }) => ({ queries: readMetabase(documents), others: documents.flatMap(dashboardIn) }),
};

/** The cards of all documents, with the snippets, databases and other cards that they refer to. */
function readMetabase(documents: readonly ExportDocument[]): readonly ForeignQuery[] {
  const cards = documents.flatMap(cardsOf);
  const context: ExportContext = {
    engines: enginesOf(documents),
    snippets: snippetsOf(documents),
    cards: new Map(cards.flatMap((card) => keysOf(card).map((key) => [key, card] as const))),
    fields: fieldsOf(documents),
  };
  return cards.map((card) => queryOf(card, context));
}

interface ExportContext {
  readonly engines: ReadonlyMap<string, string>;
  readonly snippets: ReadonlyMap<string, string>;
  readonly cards: ReadonlyMap<string, Card>;
  /** Columns by the number of the field, where the export has them. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

const CARD_LISTS = ['dashcards', 'ordered_cards'];

/** A dashboard has no query of its own. */
function dashboardIn({ value, file, locate }: ExportDocument): readonly OtherItem[] {
  const title = textOf(value, 'name');
  const cards = CARD_LISTS.flatMap((list) => listOf(value, list));
  if (title === undefined || cards.length === 0) return [];
  const texts = cards.filter(
    (each) => (member(each, 'card') ?? member(each, 'card_id') ?? undefined) === undefined,
  ).length;
  const ofTexts = texts === 0 ? '' : `; ${texts === 1 ? 'one card is a text' : `${texts} cards are texts`}`;
  const reason = `Each of its cards with a query has a line of its own, if the export has the card${ofTexts}`;
  const place = locate(['name'], 0);
  return [{ tool: 'metabase', kind: 'dashboard', title, file, place, reason, isEmpty: true }];
}

function isMetabase({ value }: ExportDocument): boolean {
  if (member(value, 'dataset_query') !== undefined) return true;
  return itemsOf(value).some(({ value: item }) => member(item, 'dataset_query') !== undefined);
}

/** A list of cards, `{"data": […]}`, or the cards of a dashboard as the API returns it; `ordered_cards` is its older name. */
function itemsOf(value: unknown): readonly { readonly path: DocumentPath; readonly value: unknown }[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => ({ path: [index], value: item }));
  const data = member(value, 'data');
  if (Array.isArray(data))
    return data.map((item: unknown, index) => ({ path: ['data', index], value: item }));
  return CARD_LISTS.flatMap((list) =>
    listOf(value, list).map((item, index) => ({ path: [list, index, 'card'], value: member(item, 'card') })),
  );
}

function cardsOf(document: ExportDocument): readonly Card[] {
  const { value } = document;
  if (member(value, 'dataset_query') !== undefined) return [{ document, path: [], value }];
  return itemsOf(value).flatMap(({ path, value: item }) =>
    member(item, 'dataset_query') === undefined ? [] : [{ document, path, value: item }],
  );
}

function keysOf({ value }: Card): readonly string[] {
  return [member(value, 'id'), member(value, 'entity_id')].filter(isKey).map(String);
}

/** Engines by the names and numbers of databases. */
function enginesOf(documents: readonly ExportDocument[]): ReadonlyMap<string, string> {
  return new Map(
    objectsOf(documents).flatMap((item) => {
      const engine = textOf(item, 'engine');
      const keys = [member(item, 'name'), member(item, 'id')].filter(isKey);
      return engine === undefined ? [] : keys.map((key) => [String(key), engine] as const);
    }),
  );
}

/** The documents and the members of lists. */
function objectsOf(documents: readonly ExportDocument[]): readonly unknown[] {
  return documents.flatMap(({ value }) => [value, ...itemsOf(value).map((each) => each.value)]);
}

function isKey(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function snippetsOf(documents: readonly ExportDocument[]): ReadonlyMap<string, string> {
  return new Map(
    documents.flatMap(({ value }) => {
      const [name, content] = [textOf(value, 'name'), textOf(value, 'content')];
      return name === undefined || content === undefined ? [] : [[name, content] as const];
    }),
  );
}

/** From the API's metadata of tables: `{name, fields: [{id, name}]}`. */
function fieldsOf(documents: readonly ExportDocument[]): ReadonlyMap<string, readonly string[]> {
  const tables = objectsOf(documents).flatMap((item) => [item, ...listOf(item, 'tables')]);
  return new Map(
    tables.flatMap((table) =>
      listOf(table, 'fields').flatMap((field): (readonly [string, readonly string[]])[] => {
        const [id, name, tableName] = [member(field, 'id'), textOf(field, 'name'), textOf(table, 'name')];
        if (typeof id !== 'number' || name === undefined) return [];
        return [[String(id), tableName === undefined ? [name] : [tableName, name]]];
      }),
    ),
  );
}

/** The SQL of a card: of `native`, or of the single stage of newer versions. */
function nativePath(value: unknown): DocumentPath | undefined {
  const candidates: readonly DocumentPath[] = [
    ['dataset_query', 'native', 'query'],
    ['dataset_query', 'stages', 0, 'native'],
  ];
  return candidates.find((path) => stringAt(value, path) !== undefined);
}

function queryOf(card: Card, context: ExportContext): ForeignQuery {
  const { document, path, value } = card;
  const title = textOf(value, 'name') ?? 'card';
  const native = nativePath(value);
  const description = textOf(value, 'description');
  const database = member(member(value, 'dataset_query'), 'database') ?? member(value, 'database_id');
  const engine =
    context.engines.get(String(database).replace(/^\/databases\//, '')) ??
    textOf(member(value, 'database'), 'engine');
  const key = keysOf(card)[0];
  const sqlPath = [...path, ...(native ?? [])];
  const base = {
    tool: 'metabase',
    kind: 'card',
    title,
    segments: [title],
    ...(description === undefined ? {} : { description }),
    ...(key === undefined ? {} : { key }),
    ...(engine === undefined ? {} : { engine }),
    dialect: dialectOfEngine(engine),
    file: document.file,
    locate: (offset: number) => document.locate(sqlPath, offset),
  } as const;
  if (native === undefined) {
    const reason =
      'The card is made in the query builder and has no SQL: convert it to a native query in Metabase, and export it again';
    return { ...base, sql: '', declarations: [], reason };
  }
  const sql = stringAt(value, native) ?? '';
  return {
    ...base,
    sql,
    declarations: declarationsOf(tagsOf(value, native), { context, own: key, depth: 0 }),
  };
}

function tagsOf(value: unknown, native: DocumentPath): unknown {
  const parent = native.slice(0, -1);
  let at: unknown = value;
  for (const key of parent) at = member(at, key);
  return member(at, 'template-tags') ?? member(at, 'template_tags');
}

interface TagContext {
  readonly context: ExportContext;
  readonly own: string | undefined;
  readonly depth: number;
}

function declarationsOf(tags: unknown, given: TagContext): readonly Declaration[] {
  return entriesOf(tags)
    .slice(0, 200)
    .map(([name, tag]) => declarationOf(textOf(tag, 'name') ?? name, tag, given));
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['number', 'Float64'],
  ['date', 'Date'],
  ['text', 'String'],
  ['boolean', 'Bool'],
]);

function declarationOf(name: string, tag: unknown, given: TagContext): Declaration {
  const kind = textOf(tag, 'type') ?? 'text';
  if (kind === 'snippet') return snippet(name, tag, given.context);
  if (kind === 'card') return otherCard(name, tag, given);
  if (kind === 'table')
    return { name, reason: 'A table by parameter is not supported: parameters are values' };
  const description = textOf(tag, 'display-name');
  const fallback = plainOf(member(tag, 'default'));
  const base = {
    name,
    ...(description === undefined || description === name ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(member(tag, 'required') === true ? { required: true } : {}),
  };
  if (kind !== 'dimension' && kind !== 'temporal-unit') return { ...base, type: TYPES.get(kind) ?? 'String' };
  const column = columnOf(member(tag, 'dimension'), given.context);
  return {
    ...base,
    filter: { column, kind: kind === 'dimension' ? (textOf(tag, 'widget-type') ?? 'category') : kind },
  };
}

/** `[field, [DB, schema, table, column], …]`, `[field, {…}, 12]`, `[field, 12, null]`, or a path of version 1: `/databases/DB/schemas/S/tables/T/fields/F`. */
function columnOf(dimension: unknown, { fields }: ExportContext): readonly string[] | undefined {
  if (!Array.isArray(dimension)) return undefined;
  const [, ...rest] = dimension as readonly unknown[];
  for (const part of rest) {
    if (Array.isArray(part)) {
      const names = part.filter((each): each is string => typeof each === 'string');
      if (names.length > 1) return names.slice(-2);
    }
    const [, table, column] = /\/tables\/([^/]+)\/fields\/([^/]+)$/.exec(String(part)) ?? [];
    if (typeof part === 'string' && table !== undefined && column !== undefined) return [table, column];
    if (typeof part === 'number') return fields.get(String(part));
  }
  return undefined;
}

function snippet(name: string, tag: unknown, { snippets }: ExportContext): Declaration {
  const text = snippets.get(textOf(tag, 'snippet-name') ?? name.replace(/^snippet\s*:\s*/, ''));
  if (text === undefined) return { name };
  return /\{\{/.test(text) ? { name, reason: 'The snippet has placeholders itself' } : { name, text };
}

const MAX_NESTED = 5;

/** Another card as a subquery. */
function otherCard(name: string, tag: unknown, { context, own, depth }: TagContext): Declaration {
  const ids = [member(tag, 'card-id'), member(tag, 'card_id'), /^#(\d+)/.exec(name)?.[1]];
  const id = String(ids.find(isKey) ?? '');
  const card = context.cards.get(id);
  const native = card && nativePath(card.value);
  if (card === undefined) return { name, reason: `The question ${name} is not in the export` };
  if (native === undefined) return { name, reason: `The question ${name} is made in the query builder` };
  const sql = (stringAt(card.value, native) ?? '').trim().replace(/;\s*$/, '');
  if (keysOf(card).includes(own ?? '')) return { name, reason: 'The question refers to itself' };
  const inner = expanded(sql, tagsOf(card.value, native), { context, own, depth: depth + 1 });
  if (depth >= MAX_NESTED || inner === undefined || inner.length > 100_000)
    return { name, reason: `The question ${name} has placeholders itself` };
  return { name, text: `(${inner})` };
}

/** The text with its cards and snippets; undefined if values remain. */
function expanded(sql: string, tags: unknown, given: TagContext): string | undefined {
  if (given.depth > MAX_NESTED) return undefined;
  const known = new Map(declarationsOf(tags, given).map((each) => [each.name, each.text]));
  let isComplete = true;
  const text = sql.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    const found = known.get(name);
    if (found === undefined) isComplete = false;
    return found ?? '';
  });
  return isComplete && !text.includes('[[') ? text : undefined;
}

function plainOf(value: unknown): Declaration['default'] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (!Array.isArray(value)) return undefined;
  const items = (value as readonly unknown[]).filter(
    (each): each is string | number => typeof each === 'string' || typeof each === 'number',
  );
  return items.length > 0 && items.length === value.length
    ? items.length === 1
      ? items[0]
      : items
    : undefined;
}
