// The right side of IN, where the engine resolves a name as a table.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf } from '../../../sql/clickhouse/tree/visit.ts';
import { checkTable } from './names.ts';
import type { Scan, Scope } from './scan.ts';

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
