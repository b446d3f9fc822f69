// Matchers of columns, `*` and COLUMNS, and their modifiers.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf, partOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { stringArgument } from '../string-arguments.ts';
import { checkFunction, reject, visitValues, type Scan, type Scope } from './scan.ts';
import { returnsStates } from './states.ts';

const MODIFIERS: ReadonlySet<Node['kind']> = new Set(['except', 'replace', 'apply']);

/** `*` and its column modifiers. */
export function visitStar(scan: Scan, node: Node, scope: Scope): void {
  const { parts } = node;
  const modifiers = parts.filter(({ kind }) => MODIFIERS.has(kind));
  for (const part of parts) if (!modifiers.includes(part)) scan.visitor.value(scan, part, scope);
  addStar(scan, node, node.at);
  for (const part of modifiers) visitModifier(scan, part, scope);
  const isPlain = modifiers.every(({ kind }) => kind === 'except');
  scan.findings.states.stars.push({ node, isPlain });
}

/** `COLUMNS('pattern')` or `COLUMNS(a, b)`. */
export function visitColumns(scan: Scan, node: Node, scope: Scope): void {
  const { at, from, parts } = node;
  const isQualified = from < at;
  const [base] = parts;
  if (isQualified && base !== undefined) scan.visitor.value(scan, base, scope);
  scan.findings.states.barred.push({ at, form: 'COLUMNS' });
  if (partOf(node, 'column-name') === undefined) addStar(scan, node, at + 3);
  for (const part of isQualified ? parts.slice(1) : parts) {
    if (MODIFIERS.has(part.kind)) visitModifier(scan, part, scope);
    else scan.visitor.value(scan, part, scope);
  }
}

/** Records a matcher, which ends with the token `end`. */
function addStar({ tree, select, counted }: Scan, node: Node, end: number): void {
  const isCounted = node === counted;
  const isCall = wordOf(tree, { at: node.from - 2 }) === 'COUNT' && wordOf(tree, { at: end + 1 }) === ')';
  if (isCounted && isCall) return; // the engine counts rows, and does not expand it
  const [base] = node.from < node.at ? node.parts : [];
  const qualifier = base?.kind === 'column' && base.to - base.from === 1 ? nameOf(tree, base) : undefined;
  select.stars.push({ end, qualifier, isQualified: base !== undefined, isCounted });
}

function visitModifier(scan: Scan, node: Node, scope: Scope): void {
  if (node.kind !== 'apply') {
    visitValues(scan, node, scope);
    return;
  }
  for (const part of node.parts) {
    if (part.kind === 'applied') checkApplied(scan, part);
    visitValues(scan, part, scope);
  }
}

function checkApplied(scan: Scan, { from }: Node): void {
  checkFunction(scan, from);
  const name = nameOf(scan.tree, { at: from });
  if (stringArgument(name) === undefined && !returnsStates(name)) return;
  const message = `${name} cannot be used by name in APPLY: use a lambda, as in APPLY(x -> ${name}(…))`;
  reject(scan, from, { code: 'sandbox.type_denied', message });
}
