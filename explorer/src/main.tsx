// Entry point: connects the browser to the state, and the state to the views.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './keyboard.ts';
import { keepFocus } from './parts/keep-focus.ts';
import { followPointer } from './parts/press.ts';
import { createClient } from './service/client.ts';
import { createExplorer } from './state/explorer.ts';
import type { Page } from './state/model.ts';
import { ExplorerContext } from './state/context.ts';
import { createMemory } from './state/storage.ts';
import { createTabs } from './state/tabs.ts';

const base = new URL('.', document.baseURI).href;
const page: Page = {
  fragment: () => location.hash,
  isReload: () => {
    const [entry] = performance.getEntriesByType('navigation');
    return entry instanceof PerformanceNavigationTiming && entry.type === 'reload';
  },
  takeKey: () => {
    const key = /^#key=(.*)$/.exec(location.hash)?.[1];
    if (key === undefined) return undefined;
    history.replaceState(null, '', '#/');
    return key.startsWith('dev_') ? key : undefined; // a link must not replace any other key
  },
  show: (fragment, isStep) => {
    if (fragment === location.hash) return;
    try {
      if (isStep) history.pushState(null, '', fragment);
      else history.replaceState(null, '', fragment);
    } catch {
      // Safari permits 100 changes in 30 seconds. A later change writes all; a reload does not need the URL.
    }
  },
  onMove: (moved) => {
    addEventListener('popstate', moved);
    addEventListener('hashchange', moved);
  },
  onVisibility: (changed) => document.addEventListener('visibilitychange', () => changed(!document.hidden)),
  isVisible: () => !document.hidden,
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  whenReleased: followPointer(document),
  epoch: Date.now,
};
const client = createClient({ base, fetch: fetch.bind(globalThis), now: () => performance.now() });
const memory = createMemory(sessionStorage, localStorage);
const explorer = createExplorer({ client, memory, page, tabs: createTabs(base), base });

effect(() => {
  const theme = explorer.theme.value;
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
});
effect(() => {
  const name = explorer.endpoint.value?.name;
  document.title = name === undefined ? 'Millrace explorer' : `${name} · Millrace explorer`;
});
listenToKeys(document, explorer);
keepFocus(document);

const root = document.querySelector('#app');
if (root !== null) {
  render(
    <ExplorerContext.Provider value={explorer}>
      <App />
    </ExplorerContext.Provider>,
    root,
  );
}
