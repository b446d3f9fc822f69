// What a query consists of, as text that is the same for our syntax tree and for the engine's (EXPLAIN AST): functions with their
// arguments, names, aliases, tables, and the clauses of each SELECT. Literals are left out, since the engine folds lists of them.
import type { Node, NodeKind, Tree } from '../../../src/sql/clickhouse/tree/nodes.ts';

interface AstLine {
  readonly kind: string;
  readonly name: string;
  readonly alias: string;
  readonly children: AstLine[];
}

const LINE = /^( *)(\w+(?:::\w+)?)(?: (.*?))?(?: \(alias (.*?)\))?(?: \(children \d+\))?$/s;

/** Calls that the engine writes as others, and WITH before several SELECTs, which it repeats: not compared. */
const REWRITTEN =
  /\b(?:date|timestamp)_?(?:add|sub|diff|part)\b|\bextract\b|trim\b|\b(?:overlay|grouping) ?\(|\bposition\b[^,]*\bin\b|\b(?:any|all|some) ?\( ?select\b|\bwith\b.*\b(?:union|intersect|except)\b/is;

/** Whether the outlines of a query can be compared. */
export function isComparable(sql: string): boolean {
  return !REWRITTEN.test(sql);
}

/** The outline of what EXPLAIN AST prints. */
export function outlineOfAst(text: string): string {
  const root: AstLine = { kind: 'Root', name: '', alias: '', children: [] };
  const open: AstLine[] = [root];
  for (const printed of text.split('\n')) {
    const [, indent, kind = '', name = '', alias = ''] = LINE.exec(printed) ?? [];
    if (indent === undefined || kind === '') continue;
    const line: AstLine = { kind, name, alias, children: [] };
    open.length = indent.length + 1;
    open.at(-1)?.children.push(line);
    open.push(line);
  }
  return astParts(root).join(' ');
}

function astParts(line: AstLine): readonly string[] {
  const alias = line.alias === '' ? [] : [`@${line.alias}`];
  return [...astOwn(line), ...alias];
}

function astOwn({ kind, name, children }: AstLine): readonly string[] {
  const parts = children.flatMap(astParts);
  switch (kind) {
    case 'Function':
      return TRANSPARENT.has(name) ? parts : [`${functionName(name)}[${parts.join(' ')}]`];
    case 'Identifier':
    case 'TableIdentifier':
      return [plainName(name)];
    case 'Literal':
      return [];
    case 'SelectQuery':
      return [selectOf(children.map((child) => astParts(child).join(' ')))];
    default:
      return /^(?:Asterisk|QualifiedAsterisk|(?:Qualified)?Columns)/.test(kind) ? ['*'] : parts;
  }
}

/** An interval's unit may be in a string. */
function functionName(name: string): string {
  return name.replace(/^toInterval[A-Z]\w+$/, 'interval');
}

/** Tuples and lists of literals are literals. */
const TRANSPARENT: ReadonlySet<string> = new Set(['tuple', 'array']);

/** Without the type or subobject of a JSON path. */
function plainName(name: string): string {
  return name.replaceAll('`', '').replace(/\.[:^].*$/s, '');
}

/** The engine lists clauses in an order of its own. */
function selectOf(clauses: readonly string[]): string {
  return `select{${clauses
    .filter((each) => each !== '')
    .toSorted()
    .join(' ; ')}}`;
}

/** The outline of our tree. */
export function outlineOfTree({ cursor, root }: Tree): string {
  const all = (nodes: readonly Node[]): readonly string[] => nodes.flatMap(own);
  const text = (node: Node): string => cursor.text(node.at);
  const call = (name: string, nodes: readonly Node[]): readonly string[] => [
    `${name}[${all(nodes).join(' ')}]`,
  ];
  const words = (node: Node): string =>
    [0, 1, 2].map((ahead) => cursor.word(node.at + ahead) ?? '').join(' ');

  type Outline = (node: Node) => readonly string[];
  const asCall =
    (name: string): Outline =>
    ({ parts }) =>
      call(name, parts);
  const named: Outline = ({ at }) => [cursor.name(at) ?? ''];
  const star: Outline = () => ['*'];
  const aliased: Outline = (node) => [
    ...all(node.parts),
    ...(isAliased(node) ? [`@${cursor.name(node.at) ?? ''}`] : []),
  ];
  const outlines: Partial<Record<NodeKind, Outline>> = {
    select: ({ parts }) => [selectOf(clausesOf(parts))],
    column: (node) => (INFINITE.test(cursor.text(node.from)) ? [] : [plainName(namesIn(node))]),
    table: (node) => [namesIn(node)],
    // Joined tables in parentheses are a subquery to the engine.
    from: ({ parts }) => [`select{* ; ${all(parts).join(' ')}}`],
    'table-function': (node) => call(namesIn({ ...node, to: node.at + 1 }), node.parts),
    parameter: named,
    source: aliased,
    alias: aliased,
    'with-value': aliased,
    star,
    columns: star,
    interpolated: (node) => (node.parts.length === 0 ? named(node) : all(node.parts)),
    'order-item': ({ from, parts }) => {
      const isAll = cursor.word(from) === 'ALL' && parts[0]?.from !== from;
      return isAll ? ['all', ...all(parts)] : all(parts);
    },
    lambda: asCall('lambda'),
    call: ofCall,
    quantified: (node) => call(cursor.word(node.at)?.toLowerCase() ?? '', node.parts),
    case: ({ parts }) => call(parts[0]?.kind === 'when' ? 'multiIf' : 'caseWithExpression', parts),
    interval: asCall('interval'),
    placeholder: ({ from }) => (cursor.text(from + 3) === 'String' ? [] : ['_CAST[]']),
    typed: (node) => call(cursor.word(node.at) === 'DATE' ? 'toDate' : 'toDateTime', node.parts),
    cast: asCall('CAST'),
    index: (node) => (isJsonArray(node) ? all(node.parts) : call('arrayElement', node.parts)),
    access: (node) => (isJsonPath(node) ? all(node.parts) : call('tupleElement', node.parts)),
    sign: (node) => {
      const isNumber = text(node) === '+' || INFINITE.test(cursor.text(node.to - 1));
      return isNumber ? all(node.parts) : call('negate', node.parts);
    },
    and: asCall('and'),
    or: asCall('or'),
    not: asCall('not'),
    concat: asCall('concat'),
    conditional: asCall('if'),
    test: (node) => call(testOf(words(node).split(' ')), node.parts),
    in: (node) => {
      const [, isGlobal, isNegated] = /^(GLOBAL )?(NOT )?IN/.exec(words(node)) ?? [];
      const name = isNegated === undefined ? 'in' : 'notIn';
      return call(
        isGlobal === undefined ? name : `global${name[0]?.toUpperCase()}${name.slice(1)}`,
        node.parts,
      );
    },
    between: ({ at, parts }) => {
      const [a, b, c] = parts.map((part) => own(part).join(' '));
      return cursor.word(at) === 'NOT'
        ? [`or[less[${join(a, b)}] greater[${join(a, c)}]]`]
        : [`and[greaterOrEquals[${join(a, b)}] lessOrEquals[${join(a, c)}]]`];
    },
    binary: (node) => call(OPERATORS[binaryForm(node)] ?? '?', node.parts),
  };

  function own(node: Node): readonly string[] {
    return (outlines[node.kind] ?? (({ parts }) => all(parts)))(node);
  }

  function binaryForm(node: Node): string {
    const symbol = cursor.kind(node.at);
    if (symbol !== 'word') return symbol ?? '';
    const [first = '', second = ''] = words(node).split(' ');
    if (first === 'NOT') return `${first} ${second}`;
    if (first === 'IS') return second === 'NOT' ? 'IS NOT DISTINCT' : 'IS DISTINCT';
    return first;
  }

  function ofCall(node: Node): readonly string[] {
    const { parts } = node;
    const name = cursor.name(node.at) ?? '';
    const list = parts.find(({ kind }) => kind === 'arguments');
    const isDistinct = parts.some(
      ({ from }) =>
        cursor.word(from + 1) === 'DISTINCT' && ![')', ',', '.'].includes(cursor.kind(from + 2) ?? ''),
    );
    const first = parts.find(({ kind }) => kind === 'parameters'); // the engine has parameters last
    const isFiltered = parts.some(({ kind }) => kind === 'filter');
    const ordered = [...parts.filter((part) => part !== first), ...(first === undefined ? [] : [first])];
    if (name.toLowerCase() === 'tuple' || name === 'array') return all(list?.parts ?? []);
    return call(`${functionName(name)}${isDistinct ? 'Distinct' : ''}${isFiltered ? 'If' : ''}`, ordered);
  }

  function clausesOf(clauses: readonly Node[]): readonly string[] {
    return clauses.flatMap((clause) => {
      if (clause.kind === 'limit' || clause.kind === 'fetch')
        return clause.parts.map((part) => own(part).join(' '));
      const apart = clause.parts.filter(({ kind }) => kind === 'interpolate');
      return [all(clause.parts.filter((part) => !apart.includes(part))), all(apart)].map((each) =>
        each.join(' '),
      );
    });
  }

  function isAliased(node: Node): boolean {
    let [value] = node.parts;
    while (value?.kind === 'sign' && text(value) === '+') [value] = value.parts;
    return value?.kind !== 'subquery' && (node.kind !== 'source' || (value?.to ?? node.to) <= node.at);
  }

  /** `a.^b.c`, `a.:Int64`, `a[].b`. */
  function isJsonPath(node: Node): boolean {
    const [base] = node.parts;
    if (node.kind === 'index') return isJsonArray(node);
    if (node.kind !== 'access') return false;
    return [':', '^'].includes(cursor.kind(node.at) ?? '') || (base !== undefined && isJsonPath(base));
  }

  /** `a.b[]` of a JSON path. */
  function isJsonArray({ kind, parts }: Node): boolean {
    return kind === 'index' && parts.length === 1;
  }

  function namesIn({ from, to }: Node): string {
    const names: string[] = [];
    for (let at = from; at < to; at += 2) names.push(cursor.name(at) ?? '');
    return names.join('.');
  }

  return own(root).join(' ');
}

function join(left: string | undefined, right: string | undefined): string {
  return [left, right].filter((each) => each !== undefined && each !== '').join(' ');
}

/** Literals of the engine that are words. */
const INFINITE = /^(?:inf|nan|infinity)$/i;

function testOf([, second = '', third = '']: readonly string[]): string {
  const [isNegated, tested] = second === 'NOT' ? [true, third] : [false, second];
  const isTruth = tested === 'TRUE' || tested === 'FALSE';
  if (isTruth) return isNegated ? 'isDistinctFrom' : 'isNotDistinctFrom';
  return isNegated ? 'isNotNull' : 'isNull';
}

const OPERATORS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '-': 'minus',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
  MOD: 'modulo',
  DIV: 'intDiv',
  '=': 'equals',
  '!=': 'notEquals',
  '<': 'less',
  '>': 'greater',
  '<=': 'lessOrEquals',
  '>=': 'greaterOrEquals',
  '<=>': 'isNotDistinctFrom',
  'IS DISTINCT': 'isDistinctFrom',
  'IS NOT DISTINCT': 'isNotDistinctFrom',
  LIKE: 'like',
  'NOT LIKE': 'notLike',
  ILIKE: 'ilike',
  'NOT ILIKE': 'notILike',
  REGEXP: 'match',
  AT: 'toTimeZone',
};
