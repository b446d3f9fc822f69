// Values: constants, columns, operators, subqueries, types.
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import type { Node, NodeKind } from '../../../sql/clickhouse/tree/nodes.ts';
import { tokensFrom } from '../../../sql/clickhouse/tree/tokens.ts';
import { nameOf, operatorOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { WHITE_SPACE } from '../../../sql/clickhouse/white-space.ts';
import { namesState } from '../string-arguments.ts';
import { readType, typeFault } from '../type-name.ts';
import { visitCall, visitQuantified } from './calls.ts';
import { visitColumns, visitStar } from './matchers.ts';
import { visitSet } from './query.ts';
import { addName, checkFunction, countPattern, reject, visitValues, type Scan, type Scope } from './scan.ts';

type Visit = (scan: Scan, node: Node, scope: Scope) => void;

/** Visits of values of which more is checked than their parts. */
const VISITS: ReadonlyMap<NodeKind, Visit> = new Map<NodeKind, Visit>([
  ['alias', visitAlias],
  ['string', (scan, { from }) => checkString(scan, from)],
  ['column', visitColumn],
  ['subquery', visitScalar],
  ['typed', visitTyped],
  ['call', visitCall],
  ['quantified', visitQuantified],
  ['star', visitStar],
  ['columns', visitColumns],
  ['column-name', addColumnName],
  ['binary', visitBinary],
  ['access', visitAccess],
  ['type', checkType],
  ['parameter', (scan, { at }) => addName(scan, at)],
  ['in', visitIn],
  ['table', visitSet], // after a fault, of an IN that is not whole
  ['interpolated', visitInterpolated],
]);

export function visitValue(scan: Scan, node: Node, scope: Scope): void {
  const visit = VISITS.get(node.kind) ?? visitValues;
  visit(scan, node, scope);
}

function visitAlias(scan: Scan, node: Node, scope: Scope): void {
  visitValues(scan, node, scope);
  addName(scan, node.at);
  if (wordOf(scan.tree, { at: node.at - 1 }) === 'AS') scan.select.definesLater = true;
}

function visitScalar(scan: Scan, node: Node, scope: Scope): void {
  // The column's name would change or be lost.
  scan.findings.states.barred.push({ at: node.from, form: 'A scalar subquery' });
  scan.visitor.query(scan, node, scope);
}

/** `DATE '…'` is a call of toDate. */
function visitTyped(scan: Scan, node: Node, scope: Scope): void {
  checkFunction(scan, node.from);
  visitValues(scan, node, scope);
}

function addColumnName({ findings }: Scan, { from, to }: Node): void {
  findings.states.permitted.push({ start: from, end: to });
}

function visitAccess(scan: Scan, { at, parts }: Node, scope: Scope): void {
  const [base, ...others] = parts;
  if (base !== undefined) visitValue(scan, base, scope);
  checkQuoted(scan, wordOf(scan.tree, { at }) === '^' ? at + 1 : at);
  for (const part of others) visitValue(scan, part, scope);
}

/** The type of a state: the engine accepts quotes, white space and comments before the parenthesis. */
const STATE = new RegExp(`AggregateFunction[${WHITE_SPACE}\`"“”]*(?:\\(|/[/*]|--|#)`, 'i');

/** No string may hold the type of a state: any function could read a type from it. */
function checkString(scan: Scan, at: number): void {
  const value = stringValue(scan.tree.cursor.text(at));
  if (value === undefined) {
    reject(scan, at, { code: 'sandbox.query_invalid', message: 'Invalid escape sequence in this string' });
  }
  if (STATE.test(value)) {
    const message = 'Aggregate function types are not allowed in strings';
    reject(scan, at, { code: 'sandbox.type_denied', message });
  }
}

/** A subcolumn of a Dynamic value has the name of a type. */
function checkQuoted(scan: Scan, at: number): void {
  const text = scan.tree.cursor.text(at);
  if (!/^["`]/.test(text) || !namesState(text)) return;
  const message = 'Aggregate function types are not allowed as names';
  reject(scan, at, { code: 'sandbox.type_denied', message });
}

function visitColumn(scan: Scan, { from, to }: Node): void {
  for (let at = from; at < to; at += 2) checkQuoted(scan, at);
  // `name.1` accesses an element of a tuple: the name itself is a bare name.
  const { cursor } = scan.tree;
  const isPath = cursor.text(from + 1) === '.' && !/^\d/.test(cursor.text(from + 2));
  if (!isPath) scan.findings.bare.push(from);
}

function visitBinary(scan: Scan, node: Node, scope: Scope): void {
  const [left, ...others] = node.parts;
  if (left !== undefined) visitValue(scan, left, scope);
  if (operatorOf(scan.tree, node) === 'REGEXP') countPattern(scan, node.at);
  for (const part of others) visitValue(scan, part, scope);
}

function visitIn(scan: Scan, { parts }: Node, scope: Scope): void {
  const [left, set] = parts;
  if (left !== undefined) visitValue(scan, left, scope);
  if (set !== undefined) visitSet(scan, set, scope);
}

function visitInterpolated(scan: Scan, node: Node, scope: Scope): void {
  scan.findings.bare.push(node.at); // the engine resolves it like a value
  addName(scan, node.at);
  if (node.parts.length > 0)
    scan.findings.states.barred.push({ at: node.at + 1, form: 'INTERPOLATE with an expression' });
  visitValues(scan, node, scope);
}

/** A type written as syntax: after `::`, in CAST, in JSON paths, where it is quoted if it has arguments. */
function checkType(scan: Scan, node: Node): void {
  const { from, to } = node;
  const { tree } = scan;
  const deny = (message: string, at = from): never =>
    reject(scan, at, { code: 'sandbox.type_denied', message });
  if (/^["`]/.test(tree.cursor.text(from)) && wordOf(tree, { at: from - 1 }) === ':') {
    const fault = typeFault(nameOf(tree, { at: from }));
    if (fault !== undefined) deny(fault);
    return;
  }
  const reading = readType(tokensFrom(tree, node));
  if (reading.kind === 'fault') deny(reading.message, from + reading.at);
  else if (reading.tokens !== to - from) deny('Expected a type', from + reading.tokens);
}
