// The endpoints as a tree of groups that open and close.
import { useMemo, useState } from 'preact/hooks';
import type { Endpoint } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';
import { endpointTree, type TreeNode } from './endpoint-tree.ts';

interface Props {
  readonly endpoints: readonly Endpoint[];
  readonly pick: (endpoint: Endpoint) => void;
  /** The endpoints are search results: all groups are open. */
  readonly isSearch: boolean;
}

/** With more endpoints, only the group of the selected endpoint is open at first. */
const MAX_OPEN = 30;

export function EndpointGroups({ endpoints, pick, isSearch }: Props) {
  const { endpoint: current } = useExplorer();
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const nodes = useMemo(() => endpointTree(endpoints), [endpoints]);
  const isOpen = (prefix: string): boolean => {
    if (isSearch) return true;
    const isSmall = endpoints.length <= MAX_OPEN;
    return toggled.get(prefix) ?? (isSmall || current.value?.name.startsWith(prefix) === true);
  };
  const toggle = (prefix: string): void => setToggled(new Map(toggled).set(prefix, !isOpen(prefix)));
  return <NodeList {...{ nodes, pick, isOpen, toggle }} prefix="" />;
}

interface ListProps extends Pick<Props, 'pick'> {
  readonly nodes: readonly TreeNode[];
  /** Of the group that contains the nodes. */
  readonly prefix: string;
  readonly isOpen: (prefix: string) => boolean;
  readonly toggle: (prefix: string) => void;
}

function NodeList({ nodes, prefix, ...shared }: ListProps) {
  return (
    <ul class="endpoints">
      {nodes.map((node) =>
        node.kind === 'endpoint' ? (
          <li key={node.endpoint.id}>
            <EndpointItem endpoint={node.endpoint} prefix={prefix} pick={shared.pick} />
          </li>
        ) : (
          <li key={node.prefix}>
            <Group node={node} prefix={prefix} {...shared} />
          </li>
        ),
      )}
    </ul>
  );
}

type GroupProps = Omit<ListProps, 'nodes'> & { readonly node: Extract<TreeNode, { kind: 'group' }> };

function Group({ node, prefix, ...shared }: GroupProps) {
  const isOpen = shared.isOpen(node.prefix);
  return (
    <details class="endpoint-group" open={isOpen}>
      <summary
        onClick={(event) => {
          event.preventDefault(); // the state opens it
          shared.toggle(node.prefix);
        }}
      >
        <Icon name="open" />
        <span class="mono">{node.prefix.slice(prefix.length, -1)}</span>
        <span class="count">{node.count}</span>
      </summary>
      {isOpen && <NodeList nodes={node.children} {...shared} prefix={node.prefix} />}
    </details>
  );
}

interface ItemProps extends Pick<Props, 'pick'> {
  readonly endpoint: Endpoint;
  readonly prefix: string;
}

function EndpointItem({ endpoint, prefix, pick }: ItemProps) {
  const { endpoint: current } = useExplorer();
  const { name, description, deprecated } = endpoint;
  // An endpoint can have the name of its group: `logs.all` beside `logs.all.otel`.
  const shared = name.startsWith(prefix) ? prefix : '';
  return (
    <button
      type="button"
      class="endpoint-item"
      aria-current={endpoint.id === current.value?.id ? 'page' : undefined}
      onClick={() => pick(endpoint)}
    >
      <span class="endpoint-name mono">
        <span class="name-prefix">{shared}</span>
        {name.slice(shared.length)}
      </span>
      <span class="endpoint-about">
        {deprecated !== null && 'Deprecated. '}
        {description}
      </span>
    </button>
  );
}
