// Matchers of columns, `*` and COLUMNS, and their modifiers.
import type { Node } from '../../sql/tree/nodes.ts';
import { stringArgument } from '../string-arguments.ts';
import { checkFunction } from './names.ts';
import { reject, visitValues, type Scan, type Scope } from './scan.ts';
import { returnsStates } from './states.ts';

const MODIFIERS: ReadonlySet<Node['kind']> = new Set(['except', 'replace', 'apply']);

/** `*` and its column modifiers. */
export function visitStar(scan: Scan, node: Node, scope: Scope): void {
  const { at, to, parts } = node;
  const modifiers = parts.filter(({ kind }) => MODIFIERS.has(kind));
  for (const part of parts) if (!modifiers.includes(part)) scan.visitor.value(scan, part, scope);
  addStar(scan, at, at);
  for (const part of modifiers) visitModifier(scan, part, scope);
  const isPlain = modifiers.every(({ kind }) => kind === 'except');
  scan.findings.states.stars.push({ start: at, end: to, isPlain });
}

/** `COLUMNS('pattern')` or `COLUMNS(a, b)`. */
export function visitColumns(scan: Scan, { at, from, parts }: Node, scope: Scope): void {
  const isQualified = from < at;
  const [base] = parts;
  if (isQualified && base !== undefined) scan.visitor.value(scan, base, scope);
  scan.findings.states.barred.push({ at, form: 'COLUMNS' });
  if (scan.cursor.kind(at + 2) === 'string') addStar(scan, at, at + 3);
  for (const part of isQualified ? parts.slice(1) : parts) {
    if (MODIFIERS.has(part.kind)) visitModifier(scan, part, scope);
    else scan.visitor.value(scan, part, scope);
  }
}

/** Records the matcher at a token, which ends with that at `end`. */
function addStar({ cursor, select }: Scan, at: number, end: number): void {
  const isQualified = cursor.kind(at - 1) === '.';
  // The engine counts rows for the `*` of count(*); it does not expand it.
  const isCount =
    cursor.kind(at - 1) === '(' && cursor.word(at - 2) === 'COUNT' && cursor.kind(at + 1) === ')';
  if (isCount) return;
  const qualifier = isQualified && cursor.kind(at - 3) !== '.' ? cursor.name(at - 2) : undefined;
  const isCounted = cursor.kind(end - 1) === '(' && cursor.name(end - 2)?.toLowerCase() === 'count';
  select.stars.push({ end, qualifier, isQualified, isCounted });
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
  const name = scan.cursor.name(from) ?? '';
  if (stringArgument(name) === undefined && !returnsStates(name)) return;
  const message = `${name} cannot be used by name in APPLY: use a lambda, as in APPLY(x -> ${name}(…))`;
  reject(scan, from, { code: 'sandbox.type_denied', message });
}
