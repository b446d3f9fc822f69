// The endpoints available to the key, with a search over names, descriptions, parameters and tables.
import { useMemo, useState } from 'preact/hooks';
import type { Endpoint } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';
import { EndpointGroups } from './endpoint-groups.tsx';
import { moveInList } from './list-keys.ts';

export function EndpointList() {
  const { listing, address, choose } = useExplorer();
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const endpoints = listing.value.kind === 'ready' ? listing.value.endpoints : undefined;
  const found = useMemo(
    () => endpoints?.filter((endpoint) => matches(endpoint, search)),
    [endpoints, search],
  );
  const pick = (endpoint: Endpoint): void => {
    setOpen(false);
    choose(endpoint);
  };
  return (
    <aside class="sidebar" aria-label="Endpoints" data-open={isOpen}>
      <button
        type="button"
        class="button sidebar-toggle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="list" />
        <span class="mono">{address.value.endpoint ?? 'Endpoints'}</span>
        <Icon name="open" />
      </button>
      <div
        class="sidebar-body"
        onKeyDown={(event) => {
          if (moveInList(event.currentTarget, event)) event.preventDefault();
        }}
      >
        <label class="search" for="search">
          <Icon name="search" />
          <span class="visually-hidden">Search endpoints</span>
          <input
            id="search"
            type="search"
            class="input"
            placeholder="Search endpoints"
            autocomplete="off"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => {
              const [first] = found ?? [];
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || first === undefined) return;
              event.preventDefault();
              pick(first);
            }}
          />
          <kbd class="wide-only">/</kbd>
        </label>
        {found === undefined && <ListSkeleton />}
        {found?.length === 0 && search !== '' && (
          <p class="note">No endpoint has “{search}” in its name, description, parameters or tables.</p>
        )}
        {found !== undefined && <EndpointGroups endpoints={found} pick={pick} isSearch={search !== ''} />}
      </div>
    </aside>
  );
}

function ListSkeleton() {
  return (
    <div class="endpoints" aria-busy="true" aria-label="Loading the endpoints">
      {[70, 55, 80].map((width) => (
        <div class="skeleton" key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

function matches(endpoint: Endpoint, search: string): boolean {
  const { name, description, parameters, sandbox } = endpoint;
  const tables = sandbox.enabled ? (sandbox.tables ?? []) : [];
  const text = [name, description, ...[...parameters, ...tables].map((each) => each.name)]
    .join(' ')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
