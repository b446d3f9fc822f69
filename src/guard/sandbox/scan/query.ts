// Queries: set operations, WITH, the clauses of a SELECT, the tables of its FROM, and sets after IN, where the engine resolves a name as a table.
import { SET_OPERATORS } from '../../../sql/clickhouse/tree/keywords.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { addName, checkTable, reject, visitValues, type Scan, type Scope, type TableSize } from './scan.ts';
import { createSelect } from './findings.ts';

/** A SELECT, a query in parentheses, or several of them. Returns the scope that later members of a set operation see. */
export function visitQuery(scan: Scan, node: Node, scope: Scope): Scope {
  if (node.kind === 'select') return visitSelect(scan, node, scope);
  let memberScope = scope;
  for (const member of node.parts) {
    memberScope = visitQuery(scan, member, memberScope);
    const operator = wordOf(scan.tree, { at: member.to });
    // Set operations match columns by position, not by name.
    if (SET_OPERATORS.has(operator)) scan.findings.states.barred.push({ at: member.to, form: operator });
  }
  return scope;
}

function visitSelect(scan: Scan, node: Node, outerScope: Scope): Scope {
  const outer = scan.select;
  const select = createSelect(node);
  scan.select = select;
  scan.findings.selects.push(select);
  let scope = outerScope;
  for (const part of node.parts) {
    if (part.kind === 'with') scope = visitWith(scan, part, outerScope);
    else visitClause(scan, part, scope);
  }
  scan.select = outer;
  return scope;
}

function visitClause(scan: Scan, node: Node, scope: Scope): void {
  if (node.kind === 'from') for (const part of node.parts) visitSource(scan, part, scope);
  else if (node.kind === 'list') visitList(scan, node, scope);
  else if (node.kind === 'windows') visitWindows(scan, node, scope);
  else visitValues(scan, node, scope);
}

function visitList(scan: Scan, { parts }: Node, scope: Scope): void {
  const { select, findings } = scan;
  for (const part of parts) {
    scan.visitor.value(scan, part, scope);
    const item = { node: part, start: part.from, end: part.to };
    findings.states.items.push(item);
    select.items.push(item);
  }
  select.definesLater = false;
}

function visitWindows(scan: Scan, { parts }: Node, scope: Scope): void {
  scan.select.definesLater = true;
  for (const part of parts) {
    addName(scan, part.at);
    visitValues(scan, part, scope);
  }
}

/** The elements of WITH; each table sees those before it. */
function visitWith(scan: Scan, { parts }: Node, outer: Scope): Scope {
  const defined = new Map(outer);
  const seen = new Set<string>();
  for (const element of parts) {
    const name = nameOf(scan.tree, element);
    if (element.kind === 'with-table') {
      scan.findings.withTables.push({ name, at: element.at + 1 });
      const size = measure(scan, element, defined);
      checkNewName(scan, element, seen);
      defined.set(name, size);
    } else {
      visitValues(scan, element, defined);
      checkNewName(scan, element, seen);
      scan.findings.states.items.push({ start: element.from, end: element.to });
    }
    addName(scan, element.at);
  }
  return defined;
}

/** Visits the table of a WITH element; its size is not counted where it is defined. */
function measure(scan: Scan, { parts }: Node, scope: Scope): TableSize {
  const before = scan.grown;
  for (const part of parts) scan.visitor.query(scan, part, scope);
  const written = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  const tokens = written + scan.grown.tokens - before.tokens;
  const reads = scan.grown.reads - before.reads;
  scan.grown = before;
  return { tokens, reads };
}

/** A name that the endpoint's query uses, as a table or column, could change the meaning of its tables. */
function checkNewName(scan: Scan, element: Node, seen: Set<string>): void {
  if (!element.isWhole) return;
  const name = nameOf(scan.tree, element);
  const folded = name.toLowerCase();
  const isTaken = scan.surface.reservedNames.has(folded);
  if (isTaken || seen.has(folded)) {
    const written = name.slice(0, 100);
    const message = isTaken
      ? `${written} is used in the endpoint's query: choose another name`
      : `${written} is defined twice`;
    reject(scan, element.from, { code: 'sandbox.name_reserved', message });
  }
  seen.add(folded);
}

/** A source of FROM, a join, or an ARRAY JOIN. */
function visitSource(scan: Scan, node: Node, scope: Scope): void {
  if (node.kind === 'array-join') {
    scan.select.isMultiplied = true;
    visitValues(scan, node, scope);
  } else if (node.kind === 'join') {
    for (const part of node.parts) visitSource(scan, part, scope);
  } else if (node.kind === 'source') visitTableExpression(scan, node, scope);
  else visitValues(scan, node, scope);
}

function visitTableExpression(scan: Scan, node: Node, scope: Scope): void {
  const { tree, select } = scan;
  const [source] = node.parts;
  if (source === undefined) return;
  if (source.kind === 'table') checkTable(scan, source, scope);
  else scan.visitor.query(scan, source, scope);
  const name = source.kind === 'table' ? nameOf(tree, source) : undefined;
  const isNamed = source.to < node.to;
  if (isNamed) addName(scan, node.at);
  const table = name === undefined || scope.has(name) ? undefined : name;
  select.sources.push({ table, alias: isNamed ? nameOf(tree, node) : name, at: node.from });
}

/** Visits a set; the engine ignores parentheses around a single element. */
export function visitSet(scan: Scan, node: Node, scope: Scope): void {
  const { findings, tree } = scan;
  const [inner] = node.parts;
  if (node.kind === 'group' && inner !== undefined) {
    visitSet(scan, inner, scope);
  } else if (node.kind === 'subquery' || node.kind === 'table') {
    findings.states.barred.push({ at: node.from, form: 'IN with a subquery or a table' });
    if (node.kind === 'subquery') scan.visitor.query(scan, node, scope);
    else {
      findings.sets.add(nameOf(tree, node));
      checkTable(scan, node, scope);
    }
  } else scan.visitor.value(scan, node, scope);
}
