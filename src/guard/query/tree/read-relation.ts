// Reads the FROM clause of a query from the lines of its tree: tables, joins and subqueries.
import { attribute, type TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import type {
  CrossJoinNode,
  JoinNode,
  QueryNode,
  Relation,
  TableNode,
  UnionNode,
  UsingColumn,
} from './nodes.ts';
import {
  attributeUpTo,
  listOf,
  onlyNode,
  partOf,
  tableName,
  UnreadableTree,
  type TreeReader,
} from './tree-lines.ts';

/** Reads a node of a FROM clause; throws UnreadableTree. */
export function readJoinTree(reader: TreeReader, line: TreeLine): Relation {
  switch (line.kind) {
    case 'QUERY':
    case 'UNION':
      return reader.query(line);
    case 'TABLE':
      return readTable(reader, line);
    case 'TABLE_FUNCTION':
      return {
        kind: 'table_function',
        id: reader.id(line),
        name: attribute(line, 'table_function_name') ?? '',
        arguments: listOf(line, 'ARGUMENTS').map(reader.expression),
      };
    case 'JOIN':
      return readJoin(reader, line);
    case 'CROSS JOIN':
    case 'CROSS_JOIN':
      return readCrossJoin(reader, line);
    case 'ARRAY_JOIN':
      return {
        kind: 'array_join',
        id: reader.id(line),
        isLeft: line.attributes.includes(', is_left: 1'),
        from: side(reader, line, 'TABLE EXPRESSION'),
        columns: listOf(line, 'JOIN EXPRESSIONS').map((column) => {
          const inner = partOf(column, 'EXPRESSION');
          if (inner === undefined) throw new UnreadableTree('an array join without an expression');
          return {
            name: attributeUpTo(column, 'column_name', 'result_type'),
            expression: reader.expression(onlyNode(inner)),
          };
        }),
      };
    default:
      throw new UnreadableTree(`${line.kind} in a FROM clause`);
  }
}

function readTable(reader: TreeReader, line: TreeLine): TableNode | QueryNode | UnionNode {
  const recursive = attribute(line, 'temporary_table_name');
  const text = attribute(line, 'table_name') ?? '';
  const name = tableName(text);
  const id = reader.id(line);
  const isRead = recursive === undefined;
  const samples = [...line.attributes.matchAll(/, sample_(\w+): ([^,]*)/g)];
  const view = isRead ? reader.view(name, id) : undefined;
  if (view !== undefined && view !== 'opaque' && name === text) return view;
  return {
    kind: 'table',
    id,
    name: recursive ?? name,
    isRecursion: !isRead,
    isOpaque: view !== undefined,
    call: view === 'opaque' ? reader.call(name) : '',
    isFinal: line.attributes.includes(', final: 1'),
    isSampled: samples.some(([, , part = '']) => !isFraction(part)),
    sample: samples
      .map(([, name = '', part = '']) => `${name === 'size' ? 'SAMPLE' : 'OFFSET'} ${part}`)
      .join(' '),
  };
}

/** Between 0 and 1. */
function isFraction(text: string): boolean {
  const [, above, below] = /^(\d+) \/ (\d+)$/.exec(text) ?? [];
  return above !== undefined && Number(above) < Number(below);
}

function side(reader: TreeReader, line: TreeLine, name: string): Relation {
  const part = partOf(line, name);
  if (part === undefined) throw new UnreadableTree(`${line.kind} without ${name}`);
  return reader.relation(onlyNode(part));
}

function readCrossJoin(reader: TreeReader, line: TreeLine): CrossJoinNode {
  const parts = line.children.filter(({ kind }) => kind.endsWith('TABLE EXPRESSION'));
  return {
    kind: 'cross_join',
    id: reader.id(line),
    relations: parts.map((part) => reader.relation(onlyNode(part))),
  };
}

function readJoin(reader: TreeReader, line: TreeLine): JoinNode {
  const condition = partOf(line, 'JOIN EXPRESSION');
  const node = condition === undefined ? undefined : onlyNode(condition);
  const isUsing = node?.kind === 'LIST';
  return {
    kind: 'join',
    id: reader.id(line),
    join: attribute(line, 'kind') ?? 'UNKNOWN',
    strictness: attribute(line, 'strictness', 'kind') ?? 'UNKNOWN',
    left: side(reader, line, 'LEFT TABLE EXPRESSION'),
    right: side(reader, line, 'RIGHT TABLE EXPRESSION'),
    on: node === undefined || isUsing ? undefined : reader.expression(node),
    using: isUsing ? node.children.map((column) => readUsing(reader, column)) : [],
  };
}

function readUsing(reader: TreeReader, column: TreeLine): UsingColumn {
  const [left, right] = listOf(column, 'EXPRESSION');
  if (left === undefined || right === undefined) throw new UnreadableTree('USING without two columns');
  return {
    name: attributeUpTo(column, 'column_name', 'result_type'),
    left: reader.expression(left),
    right: reader.expression(right),
  };
}
