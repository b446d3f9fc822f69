// Builds the typed tree of a query from the lines of `EXPLAIN QUERY TREE run_passes = 1, passes = 1`.
import { withDistinct } from './limit-by.ts';
import { attribute, parseTreeLines, type TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import {
  namesOf,
  typesOf,
  type Expression,
  type FunctionExpression,
  type QueryNode,
  type UnionNode,
} from './nodes.ts';
import { readJoinTree } from './read-relation.ts';
import { checkTree, SCALAR_SETTING } from './tree-grammar.ts';
import { attributeUpTo, listOf, onlyNode, partOf, UnreadableTree, type TreeReader } from './tree-lines.ts';
import { hasType, isInterval } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';

/** Nodes of one tree at most. */
const MAX_NODES = 60_000;
/** Levels of expressions and relations at most: the analysis is recursive. */
const MAX_DEPTH = 400;

export interface ReadOptions {
  /** The word that marks parameters (`markParameters`). */
  readonly marker: string;
  /** The uses of parameters, by their number, that the tree must contain. */
  readonly uses?: readonly number[] | undefined;
  /**
   * The trees of the definitions of views, by `database.view`, and the view's columns as `name type`; undefined for one whose
   * definition is not known.
   */
  readonly views?: ReadonlyMap<string, ViewTree | undefined> | undefined;
  /** The arguments of views with parameters (`callsOf`), which the tree lacks. */
  readonly calls?: ReadonlyMap<string, string> | undefined;
  /** Tables whose columns have names with line breaks. */
  readonly ambiguous?: ReadonlySet<string> | undefined;
  /** Columns that hold the tenant: an ALIAS column among them is one by itself. */
  readonly tenants?: ReadonlySet<string> | undefined;
}

export interface ViewTree {
  readonly tree: string;
  readonly columns: readonly string[];
}

/** Reads the engine's tree of a query whose parameters are marked (`marked-query.ts`). Throws UnreadableTree. */
export function readTree(text: string, options: ReadOptions): QueryNode | UnionNode {
  const bounds = { nodes: 0, depth: 0, shift: 0, uses: new Set<number>() };
  const root = createReader(options, bounds, 0).query(rootOf(text, options));
  if (options.uses?.every((use) => bounds.uses.has(use)) === false)
    throw new UnreadableTree(missingUse(options), true);
  return root;
}

function missingUse({ calls = new Map() }: ReadOptions): string {
  const [view] = [...calls].find(([, passed]) => passed !== '') ?? [];
  return view === undefined
    ? 'the engine leaves out a part of it for each of the sample values, such as a branch of if() that is not valid for them'
    : `${view} is a view with parameters, whose rows cannot be followed; read its tables instead`;
}

function rootOf(text: string, { ambiguous }: ReadOptions): TreeLine {
  const parsed = parseTreeLines(text);
  if ('fault' in parsed) throw new UnreadableTree(`the engine's query tree is ${parsed.fault}`);
  const [root] = parsed.root.children;
  if (root === undefined || parsed.root.children.length !== 1)
    throw new UnreadableTree('the engine returned no query tree');
  checkTree(text, root, ambiguous);
  return root;
}

/** Shared by the readers of a query and its views. */
interface Bounds {
  nodes: number;
  depth: number;
  shift: number;
  readonly uses: Set<number>;
}

/** `shift` is added to ids, since each tree has its own. */
function createReader(options: ReadOptions, bounds: Bounds, shift: number): TreeReader {
  const { marker, views } = options;
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
    expression: bounded((line) => readExpression(reader, line)),
    query: bounded((line) => readQueryOrUnion(reader, line)),
    relation: bounded((line) => readJoinTree(reader, line)),
    toId: (printed) => Number(printed) + shift,
    id: (line) => {
      if (line.id === '') throw new UnreadableTree(`${line.kind} has no id`);
      return Number(line.id) + shift;
    },
    call: (name) => options.calls?.get(name) ?? '',
    view: (name, id) => {
      if (views?.has(name) !== true) return undefined;
      const view = views.get(name);
      if (view === undefined) return 'opaque';
      bounds.shift += MAX_IDS;
      const query = createReader(options, bounds, bounds.shift).query(rootOf(view.tree, options));
      return isSame(query, view.columns) ? { ...query, id, view: name } : 'opaque';
    },
    isTenant: (name) => options.tenants?.has(name) === true,
    parameter: (line) => {
      const use = parameterOf(line, marker);
      if (use === undefined) return undefined;
      bounds.uses.add(use.number);
      return { kind: 'parameter', name: use.name, type: typeOf(line) };
    },
  };
  return reader;
}

/** Returns whether a view has the columns of its definition: others are converted, by position. */
function isSame(query: QueryNode | UnionNode, columns: readonly string[]): boolean {
  const [names, types] = [namesOf(query), typesOf(query)];
  return (
    names.length === columns.length &&
    columns.every((each, index) => each === `${names[index]} ${types[index]}`)
  );
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
  const settings = line.children
    .filter(({ kind }) => kind.startsWith('SETTINGS '))
    .map(({ kind }) => kind.replace(` ${SCALAR_SETTING}=0`, ''));
  return withDistinct({
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
    settings: settings
      .map(withoutFormat)
      .filter((each) => each !== '')
      .join(' '),
    attributes: shapeOf(line),
  });
}

/** Without the settings of the format of the result. */
function withoutFormat(settings: string): string {
  const kept = settings
    .replace(/^SETTINGS ?/, '')
    .split(/ (?=\w+=)/)
    .filter((each) => each !== '' && !each.startsWith('output_format_'));
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

function readExpression(reader: TreeReader, line: TreeLine): Expression {
  switch (line.kind) {
    case 'COLUMN': {
      const name = attributeUpTo(line, 'column_name', 'result_type');
      const inner = reader.isTenant(name) ? undefined : partOf(line, 'EXPRESSION');
      const source = /, source_id: (\d+)$/.exec(line.attributes)?.[1];
      return {
        kind: 'column',
        source: source === undefined ? -1 : reader.toId(source),
        name,
        type: typeOf(line),
        expression: inner === undefined ? undefined : readExpressionOrList(reader, onlyNode(inner)),
      };
    }
    case 'CONSTANT': {
      const inner = partOf(line, 'EXPRESSION');
      const folded = inner && reader.expression(onlyNode(inner));
      if (folded !== undefined && !isFixed(folded)) return folded; // the value is that of the samples
      const text = attributeUpTo(line, 'constant_value', 'constant_value_type');
      return { kind: 'constant', text, type: typeOf(line) };
    }
    case 'FUNCTION':
      return reader.parameter(line) ?? readFunction(reader, line);
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
    case 'IDENTIFIER':
      throw new UnreadableTree('an argument of a table function is a name: write it as a string');
    default:
      throw new UnreadableTree(`${line.kind} in an expression`);
  }
}

/** Functions whose value depends on their arguments only. */
const PURE: ReadonlySet<string> = new Set([
  'equals', 'notEquals', 'less', 'greater', 'lessOrEquals', 'greaterOrEquals', 'and', 'or', 'not', 'plus', 'minus', 'multiply',
  'negate',
]); // prettier-ignore

/** A number or condition that has one value in every call, such as `1 = 2`. */
function isFixed(expression: Expression): boolean {
  if (expression.kind === 'constant') return !hasType(parseType(expression.type), isInterval);
  return expression.kind === 'function' && PURE.has(expression.name) && expression.arguments.every(isFixed);
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

/** `tupleElement((value, 'marker:name:number'), 1)`, as the marked query has it. */
function parameterOf(
  line: TreeLine,
  marker: string,
): { readonly name: string; readonly number: number } | undefined {
  if (!line.attributes.includes(', function_name: tupleElement, ')) return undefined;
  const [pair] = listOf(line, 'ARGUMENTS');
  if (pair?.kind !== 'CONSTANT') return undefined;
  const start = pair.attributes.lastIndexOf(`, '${marker}:`);
  const end = pair.attributes.slice(start + marker.length + 4);
  const [, name, number] = /^(\w+):(\d+)'\), constant_value_type: /.exec(end) ?? [];
  return start < 0 || name === undefined ? undefined : { name, number: Number(number) };
}
