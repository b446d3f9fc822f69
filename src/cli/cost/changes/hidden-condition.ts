// A condition that hides a key from the engine, and another form of it.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import type { ChangeKind, ChangeProposal, ChangeSubject } from './change.ts';
import { written } from './subject.ts';

/** The proposals of a kind are the conditions for which `rewrite` returns another form, with the same rows. */
export function rewritingKind(
  name: string,
  rewrite: (subject: ChangeSubject, node: Node) => string | undefined,
): ChangeKind {
  return {
    name,
    *propose(subject) {
      for (const node of subject.conditions) {
        const text = rewrite(subject, node);
        if (text !== undefined) yield hidden(subject, node, text);
      }
    },
  };
}

/** Returns the proposal to write a condition in another form. */
export function hidden(subject: ChangeSubject, node: Node, text: string): ChangeProposal {
  const condition = written(subject, node).replaceAll(/\s+/g, ' ');
  return {
    code: 'cost.hidden_key',
    at: node,
    reason: `${condition} does not use the keys of the table`,
    edits: [{ range: node, text }],
  };
}
