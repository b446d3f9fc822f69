// The palette's actions on the page as a whole: the request, the result, links, the theme, saved views, endpoints.
import { snippetsOf } from '../code/snippets.ts';
import { sandboxOf, type Endpoint } from '../service/listing.ts';
import { writeAddress, type QueryKind, type View } from '../state/address.ts';
import type { Explorer } from '../state/explorer.ts';
import { askOf } from '../state/model.ts';
import type { PaletteAction } from './actions.ts';

export type Copy = (text: string, what: string) => void;

export function pageActions(explorer: Explorer, copy: Copy): readonly PaletteAction[] {
  const { endpoint } = explorer;
  return [
    ...(endpoint.value === undefined ? [] : endpointActions(explorer, endpoint.value, copy)),
    ...viewActions(explorer),
    ...settingActions(explorer),
    ...otherEndpoints(explorer),
  ];
}

const RESULT_VIEWS: readonly (readonly [View, string])[] = [
  ['table', 'Table'],
  ['chart', 'Chart'],
  ['json', 'JSON'],
  ['code', 'Code'],
];

function endpointActions(explorer: Explorer, endpoint: Endpoint, copy: Copy): readonly PaletteAction[] {
  const { address, change, start, cancel, run } = explorer;
  const isRunning = run.value.kind === 'running';
  const curl = (): string =>
    snippetsOf({ ask: askOf(address.value), endpoint, base: explorer.base }).find(
      ({ name }) => name === 'curl',
    )?.text ?? '';
  const languages = sandboxOf(endpoint)?.languages ?? [];
  const kinds: readonly QueryKind[] = languages.length === 0 ? [] : ['saved', ...languages];
  return [
    { id: 'run', label: 'Run', hint: 'the request', run: () => void start() },
    ...(endpoint.cache === null
      ? []
      : [
          { id: 'fresh', label: 'Bypass cache', hint: 'run again', run: () => void start({ isFresh: true }) },
        ]),
    ...(isRunning ? [{ id: 'cancel', label: 'Cancel', hint: 'the request', run: cancel }] : []),
    ...kinds
      .filter((kind) => kind !== address.value.query)
      .map((query) => ({
        id: `query ${query}`,
        label: query === 'saved' ? 'Saved query' : `Your ${query.toUpperCase()}`,
        hint: 'switch tab',
        run: () => change({ query, view: undefined, sort: undefined }),
      })),
    ...RESULT_VIEWS.map(([view, label]) => ({
      id: `view ${view}`,
      label: `Show as ${label}`,
      hint: 'switch tab',
      run: () => change({ view }),
    })),
    {
      id: 'copy link',
      label: 'Copy link',
      hint: 'to what is shown',
      run: () => copy(linkTo(explorer), 'the link'),
    },
    {
      id: 'copy curl',
      label: 'Copy as curl',
      hint: 'the request',
      run: () => copy(curl(), 'the request as curl'),
    },
  ];
}

function linkTo({ base, address }: Explorer): string {
  return new URL(writeAddress(address.value), base).href;
}

function viewActions({ views, openView }: Explorer): readonly PaletteAction[] {
  return views.value.map((view) => ({
    id: `saved ${view.name}`,
    label: view.name,
    hint: 'saved view',
    run: () => openView(view),
  }));
}

function settingActions({
  setTheme,
  setZone,
  zone,
  leave,
  isShowingKeys,
}: Explorer): readonly PaletteAction[] {
  const other = zone.value === 'utc' ? 'local' : 'utc';
  return [
    { id: 'keys', label: 'Keys', hint: 'keyboard shortcuts', run: () => (isShowingKeys.value = true) },
    { id: 'theme light', label: 'Light theme', run: () => setTheme('light') },
    { id: 'theme dark', label: 'Dark theme', run: () => setTheme('dark') },
    { id: 'theme auto', label: 'Theme of the system', run: () => setTheme('auto') },
    {
      id: 'zone',
      label: other === 'utc' ? 'Time ranges in UTC' : 'Time ranges in local time',
      run: () => setZone(other),
    },
    { id: 'forget', label: 'Forget the key', hint: 'in all tabs, with history and drafts', run: leave },
  ];
}

function otherEndpoints({ listing, endpoint, choose }: Explorer): readonly PaletteAction[] {
  if (listing.value.kind !== 'ready') return [];
  return listing.value.endpoints
    .filter(({ id }) => id !== endpoint.value?.id)
    .map((each) => ({
      id: `endpoint ${each.id}`,
      label: each.name,
      hint: each.deprecated === null ? each.description : `Deprecated. ${each.description}`,
      run: () => choose(each),
    }));
}
