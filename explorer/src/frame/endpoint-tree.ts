// Endpoints as a tree by the dots of their names: groups of at least two that share a prefix.
import type { Endpoint } from '../service/listing.ts';

export type TreeNode =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | {
      readonly kind: 'group';
      /** With its final dot: `logs.` */
      readonly prefix: string;
      readonly count: number;
      readonly children: readonly TreeNode[];
    };

/** The nodes below a prefix. A group whose only child is a group is replaced by that. */
export function endpointTree(endpoints: readonly Endpoint[], prefix = ''): readonly TreeNode[] {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const [segment = ''] = endpoint.name.slice(prefix.length).split('.', 1);
    groups.set(segment, [...(groups.get(segment) ?? []), endpoint]);
  }
  return [...groups].map(([segment, members]): TreeNode => {
    const [first, second] = members;
    if (first !== undefined && second === undefined) return { kind: 'endpoint', endpoint: first };
    const own = `${prefix}${segment}.`;
    const children = endpointTree(members, own);
    const [only, other] = children;
    return only?.kind === 'group' && other === undefined
      ? only
      : { kind: 'group', prefix: own, count: members.length, children };
  });
}
