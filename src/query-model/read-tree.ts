// Builds the typed tree of a query from the lines of `EXPLAIN QUERY TREE run_passes = 1, passes = 1`.
import { attribute, parseTreeLines, type TreeLine } from '../sql/query-tree.ts';
import type { Expression, FunctionExpression, QueryNode, UnionNode } from './nodes.ts';
import { readJoinTree } from './read-relation.ts';
import { attributeUpTo, listOf, onlyNode, partOf, UnreadableTree, type TreeReader } from './tree-lines.ts';

/** Nodes of one tree at most. */
const MAX_NODES = 60_000;
/** Levels of expressions and relations at most: the analysis is recursive. */
const MAX_DEPTH = 400;

/**
 * Reads the engine's tree of a query whose parameters are marked by `marker` (`marked-query.ts`). `views`: the trees of the
 * definitions of views, by `database.view`; undefined for one whose definition is not known. `calls`: see `callsOf`.
 * Throws UnreadableTree.
 */
export function readTree(
  text: string,
  marker: string,
  views: ReadonlyMap<string, string | undefined> = new Map(),
  calls: ReadonlyMap<string, string> = new Map(),
): QueryNode | UnionNode {
  const bounds = { nodes: 0, depth: 0, shift: 0 };
  return createReader({ marker, views, calls, bounds }, 0).query(rootOf(text));
}

function rootOf(text: string): TreeLine {
  const parsed = parseTreeLines(text);
  if ('fault' in parsed) throw new UnreadableTree(`the engine's query tree is ${parsed.fault}`);
  const [root] = parsed.root.children;
  if (root === undefined || parsed.root.children.length !== 1)
    throw new UnreadableTree('the engine returned no query tree');
  return root;
}

interface ReaderOptions {
  readonly marker: string;
  readonly views: ReadonlyMap<string, string | undefined>;
  readonly calls: ReadonlyMap<string, string>;
  /** Shared by the readers of a query and its views. */
  readonly bounds: { nodes: number; depth: number; shift: number };
}

/** `shift` is added to ids, since each tree has its own. */
function createReader(options: ReaderOptions, shift: number): TreeReader {
  const { marker, views, calls, bounds } = options;
  const bounded =
    <T>(read: (line: TreeLine) => T) =>
    (line: TreeLine): T => {
      if (++bounds.nodes > MAX_NODES || ++bounds.depth > MAX_DEPTH)
        throw new UnreadableTree('the query is too large');
      const value = read(line);
      bounds.depth--;
      return value;
    };
  const reader: TreeReader = {
    expression: bounded((line) => readExpression(reader, line, marker)),
    query: bounded((line) => readQueryOrUnion(reader, line)),
    relation: bounded((line) => readJoinTree(reader, line)),
    toId: (printed) => Number(printed) + shift,
    id: (line) => {
      if (line.id === '') throw new UnreadableTree(`${line.kind} has no id`);
      return Number(line.id) + shift;
    },
    call: (name) => calls.get(name) ?? '',
    view: (name, id) => {
      if (!views.has(name)) return undefined;
      const text = views.get(name);
      if (text === undefined) return 'opaque';
      bounds.shift += MAX_IDS;
      return { ...createReader(options, bounds.shift).query(rootOf(text)), id, view: name };
    },
  };
  return reader;
}

/** Above the ids of any tree. */
const MAX_IDS = 10_000_000;

function readQueryOrUnion(reader: TreeReader, line: TreeLine): QueryNode | UnionNode {
  if (line.kind === 'QUERY') return readQuery(reader, line);
  if (line.kind !== 'UNION') throw new UnreadableTree(`${line.kind} is not a query`);
  const branches = listOf(line, 'QUERIES').map(reader.query);
  const mode = attribute(line, 'union_mode') ?? 'UNKNOWN';
  const isRecursive = line.attributes.includes(', is_recursive_cte: 1');
  return {
    view: undefined,
    kind: 'union',
    id: reader.id(line),
    cte: cteOf(line),
    mode,
    isRecursive,
    branches,
  };
}

function cteOf(line: TreeLine): string | undefined {
  if (!line.attributes.includes(', is_cte: 1')) return undefined;
  return attribute(line, 'cte_name')?.replace(/, (?:union_mode|group_by_type): [\w ]+$/, '');
}

function readQuery(reader: TreeReader, line: TreeLine): QueryNode {
  const filter = (name: string): Expression | undefined => {
    const part = partOf(line, name);
    return part === undefined ? undefined : reader.expression(onlyNode(part));
  };
  const expressions = (name: string): readonly Expression[] => listOf(line, name).map(reader.expression);
  const from = partOf(line, 'JOIN TREE');
  if (from === undefined) throw new UnreadableTree('a query without FROM');
  const columns = (partOf(line, 'PROJECTION COLUMNS')?.children ?? []).map(({ kind }) => kind);
  const projection = listOf(line, 'PROJECTION').map(reader.expression);
  const types = listOf(line, 'PROJECTION').map(typeOf);
  if (columns.length !== projection.length) throw new UnreadableTree('columns without names');
  const settings = line.children.filter(({ kind }) => kind.startsWith('SETTINGS ')).map(({ kind }) => kind);
  return {
    kind: 'query',
    id: reader.id(line),
    cte: cteOf(line),
    view: undefined,
    names: columns.map((column, index) => nameOf(column, types[index] ?? '')),
    types,
    projection,
    from: reader.relation(onlyNode(from)),
    prewhere: filter('PREWHERE'),
    where: filter('WHERE'),
    groupBy: listOf(line, 'GROUP BY').map((key) => readExpressionOrList(reader, key)),
    hasSubtotals: /, (?:group_by_type: |is_group_by_with_)/.test(line.attributes),
    having: filter('HAVING'),
    qualify: filter('QUALIFY'),
    isDistinct: line.attributes.includes(', is_distinct: 1'),
    orderBy: readSorts(reader, line),
    interpolate: listOf(line, 'INTERPOLATE').flatMap((each) =>
      each.children.map(onlyNode).map(reader.expression),
    ),
    limitBy: expressions('LIMIT BY'),
    limitByCounts: ['LIMIT BY LIMIT', 'LIMIT BY OFFSET'].map(filter).filter((each) => each !== undefined),
    limits: ['LIMIT', 'OFFSET'].map(filter).filter((each) => each !== undefined),
    hasLimitSetting: settings.some((each) => /[ ,](?:limit|offset)=/.test(each)),
    settings: withoutFormat(settings.join(' ')),
    attributes: shapeOf(line),
  };
}

/** Without the settings of the format of the result. */
function withoutFormat(settings: string): string {
  const kept = settings
    .replace(/^SETTINGS /, '')
    .split(/ (?=\w+=)/)
    .filter((each) => !each.startsWith('output_format_'));
  return kept.join(' ');
}

function shapeOf(line: TreeLine): string {
  const own = line.attributes.match(/(?<=, )(?:is_limit\w*|is_group_by\w*|group_by_type): [\w ]+/g) ?? [];
  const parts = ['LIMIT', 'OFFSET', 'LIMIT BY LIMIT', 'LIMIT BY OFFSET'];
  return [...own, ...parts.filter((name) => partOf(line, name) !== undefined)].join(', ');
}

/** `name type`, whose name may contain spaces. The engine's type of an aliased constant may differ from the printed one. */
function nameOf(column: string, type: string): string {
  if (type !== '' && column.endsWith(` ${type}`)) return column.slice(0, -type.length - 1);
  let depth = 0;
  for (let at = column.length - 1; at >= 0; at--) {
    const char = column.charAt(at);
    if (char === ')') depth++;
    if (char === '(') depth--;
    if (char === ' ' && depth === 0) return column.slice(0, at);
  }
  return column;
}

function typeOf(line: TreeLine): string {
  return (
    /, result_type: (.*?)(?:, source_id: \d+)?$/.exec(line.attributes)?.[1] ??
    /, constant_value_type: (.*)$/.exec(line.attributes)?.[1] ??
    ''
  );
}

function readExpressionOrList(reader: TreeReader, line: TreeLine): Expression {
  if (line.kind !== 'LIST') return reader.expression(line);
  return { kind: 'list', items: line.children.map(reader.expression) };
}

/** The elements of ORDER BY of a query or a window. */
function readSorts(reader: TreeReader, line: TreeLine): QueryNode['orderBy'] {
  return listOf(line, 'ORDER BY').map((sort) => {
    const [first, ...rest] = sort.children;
    if (sort.kind !== 'SORT' || first === undefined) throw new UnreadableTree('ORDER BY without SORT');
    return {
      direction: attribute(sort, 'sort_direction', 'with_fill') ?? '',
      hasFill: !sort.attributes.includes(', with_fill: 0'),
      expression: reader.expression(onlyNode(first)),
      fill: rest.map(onlyNode).map(reader.expression),
    };
  });
}

function readExpression(reader: TreeReader, line: TreeLine, marker: string): Expression {
  switch (line.kind) {
    case 'COLUMN': {
      const inner = partOf(line, 'EXPRESSION');
      const source = /, source_id: (\d+)$/.exec(line.attributes)?.[1];
      return {
        kind: 'column',
        source: source === undefined ? -1 : reader.toId(source),
        name: attributeUpTo(line, 'column_name', 'result_type'),
        type: typeOf(line),
        expression: inner === undefined ? undefined : readExpressionOrList(reader, onlyNode(inner)),
      };
    }
    case 'CONSTANT': {
      const inner = partOf(line, 'EXPRESSION');
      if (inner !== undefined) return reader.expression(onlyNode(inner)); // folded: with sample values
      const text = attributeUpTo(line, 'constant_value', 'constant_value_type');
      return { kind: 'constant', text, type: typeOf(line) };
    }
    case 'FUNCTION':
      return parameterOf(line, marker) ?? readFunction(reader, line);
    case 'LAMBDA': {
      const parameters = listOf(line, 'ARGUMENTS').map((each) =>
        attributeUpTo(each, 'column_name', 'result_type'),
      );
      const body = partOf(line, 'EXPRESSION');
      if (body === undefined) throw new UnreadableTree('a lambda without a body');
      return { kind: 'lambda', id: reader.id(line), parameters, body: reader.expression(onlyNode(body)) };
    }
    case 'LIST':
      return readExpressionOrList(reader, line);
    case 'QUERY':
    case 'UNION':
      return { kind: 'subquery', query: reader.query(line) };
    case 'TABLE':
    case 'TABLE_FUNCTION': {
      const table = reader.relation(line);
      if (table.kind === 'table' || table.kind === 'table_function') return { kind: 'table_set', table };
      if (table.kind === 'query' || table.kind === 'union') return { kind: 'subquery', query: table }; // a view
      throw new UnreadableTree('an unexpected table');
    }
    default:
      throw new UnreadableTree(`${line.kind} in an expression`);
  }
}

function readFunction(reader: TreeReader, line: TreeLine): FunctionExpression {
  const role = /, function_type: (\w+)/.exec(line.attributes)?.[1];
  if (role !== 'ordinary' && role !== 'aggregate' && role !== 'window')
    throw new UnreadableTree('a function that is not resolved');
  const window = partOf(line, 'WINDOW');
  return {
    kind: 'function',
    id: reader.id(line),
    name: attributeUpTo(line, 'function_name', 'function_type'),
    role,
    type: typeOf(line),
    arguments: listOf(line, 'ARGUMENTS').map(reader.expression),
    parameters: listOf(line, 'PARAMETERS').map(reader.expression),
    window: window === undefined ? undefined : readWindow(reader, onlyNode(window)),
  };
}

function readWindow(reader: TreeReader, line: TreeLine): FunctionExpression['window'] {
  const offsets = ['FRAME BEGIN OFFSET', 'FRAME END OFFSET'].flatMap((name) => listOf(line, name));
  return {
    frame: line.attributes,
    partitionBy: listOf(line, 'PARTITION BY').map(reader.expression),
    orderBy: readSorts(reader, line),
    offsets: offsets.map(reader.expression),
  };
}

/** `tupleElement((value, 'marker:name'), 1)`, as the marked query has it. */
function parameterOf(line: TreeLine, marker: string): Expression | undefined {
  if (!line.attributes.includes(', function_name: tupleElement, ')) return undefined;
  const [pair] = listOf(line, 'ARGUMENTS');
  if (pair?.kind !== 'CONSTANT') return undefined;
  const start = pair.attributes.lastIndexOf(`, '${marker}:`);
  const name = /^(\w+)'\), constant_value_type: /.exec(pair.attributes.slice(start + marker.length + 4))?.[1];
  return start < 0 || name === undefined ? undefined : { kind: 'parameter', name, type: typeOf(line) };
}
