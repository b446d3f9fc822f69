// Documents that a table of the WITH clause or a subquery selects as a whole, of which the query around it reads a few paths.
import { quoteIdentifier } from '../../../../sql/clickhouse/literal.ts';
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import { membersOf, nodesOf, nameOf, namesOf, partOf } from '../../../../sql/clickhouse/tree/visit.ts';
import type { ChangeEdit, ChangeKind, ChangeSubject } from '../change.ts';
import { calledWith, stringOf, typeOfColumn, written } from '../subject.ts';

const MOST_PATHS = 8;

export const DOCUMENTS: ChangeKind = {
  name: 'documents',
  *propose(subject) {
    if (subject.isSandboxed) return; // consumers read the documents
    for (const inner of nodesOf(subject.tree.root, 'with-table', 'source')) {
      const subquery = partOf(inner, 'subquery');
      const selects = subquery?.parts.flatMap(membersOf) ?? [];
      for (const name of documentsIn(subject, selects[0])) {
        const edits = editsFor(subject, { inner, selects, name });
        const [first] = edits;
        if (first === undefined) continue;
        yield {
          code: 'cost.whole_document',
          at: first.range,
          reason: `${name} is read as a whole, and only some of its paths are needed`,
          edits,
        };
      }
    }
  },
};

function documentsIn(subject: ChangeSubject, select: Node | undefined): readonly string[] {
  const items = (select && partOf(select, 'list')?.parts) ?? [];
  return items.flatMap((item) => {
    const isDocument = item.kind === 'column' && typeOfColumn(subject, item)?.name === 'JSON';
    return isDocument ? (namesOf(subject.tree, item).at(-1) ?? []) : [];
  });
}

interface Reading {
  readonly inner: Node;
  readonly selects: readonly Node[];
  readonly name: string;
}

/** Returns one edit for each member of the inner query; none if something reads the document as a whole. */
function editsFor(subject: ChangeSubject, { inner, selects, name }: Reading): readonly ChangeEdit[] {
  const paths = new Set<string>();
  for (const column of nodesOf(subject.tree.root, 'column', 'star', 'columns')) {
    if (inner.from <= column.from && column.to <= inner.to) continue;
    if (column.kind !== 'column') return [];
    const names = namesOf(subject.tree, column);
    const at = names.indexOf(name);
    if (at < 0) continue;
    const path = names.slice(at);
    if (path.length < 2) return [];
    paths.add(path.join('.'));
  }
  if (paths.size === 0 || paths.size > MOST_PATHS) return [];
  const edits: ChangeEdit[] = [];
  for (const select of selects) {
    const items = partOf(select, 'list')?.parts ?? [];
    const item = items.find((each) => each.kind === 'column' && namesOf(subject.tree, each).at(-1) === name);
    if (item === undefined) return [];
    const prefix = namesOf(subject.tree, item)
      .slice(0, -1)
      .map((each) => `${each}.`)
      .join('');
    const text = [...paths].map((path) => `${prefix}${path} AS ${quoteIdentifier(path)}`).join(', ');
    edits.push({ range: item, text });
  }
  return edits;
}

/** `any(document).path`, and `JSONExtractString(toString(document), 'path')`. */
export const DOCUMENT_PATHS: ChangeKind = {
  name: 'document-paths',
  *propose(subject) {
    for (const node of nodesOf(subject.tree.root, 'access', 'call')) {
      const text = node.kind === 'access' ? insideAggregate(subject, node) : extracted(subject, node);
      if (text === undefined) continue;
      yield {
        code: 'cost.whole_document',
        at: node,
        reason: `${written(subject, node)} reads the whole document`,
        edits: [{ range: node, text }],
      };
    }
  },
};

function insideAggregate(subject: ChangeSubject, node: Node): string | undefined {
  const [call] = node.parts;
  const [document, ...others] = calledWith(subject, call, 'any', 'anylast', 'argmax', 'argmin') ?? [];
  if (call === undefined || document === undefined || typeOfColumn(subject, document)?.name !== 'JSON')
    return undefined;
  const path = subject.tree.cursor.slice(call.to, node.to);
  if (!/^\.\w+$/.test(path)) return undefined;
  const list = [`${written(subject, document)}${path}`, ...others.map((each) => written(subject, each))];
  return `${nameOf(subject.tree, call)}(${list.join(', ')})`;
}

function extracted(subject: ChangeSubject, node: Node): string | undefined {
  const [text, ...path] = calledWith(subject, node, 'jsonextractstring') ?? [];
  const [document] = calledWith(subject, text, 'tostring', 'tojsonstring') ?? [];
  if (document === undefined || typeOfColumn(subject, document)?.name !== 'JSON') return undefined;
  const names = path.map((each) => stringOf(subject, each) ?? '');
  if (names.length === 0 || !names.every((each) => /^\w+$/.test(each))) return undefined;
  const paths = typeOfColumn(subject, document)?.arguments ?? [];
  const typed = paths.find((each) => each.kind === 'type' && each.label === names.join('.'));
  if (typed?.kind !== 'type' || typed.type.name !== 'String') return undefined;
  return `${written(subject, document)}.${names.join('.')}`;
}
