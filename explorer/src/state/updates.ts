// Keeps the list of endpoints up to date while the page is visible: by the service's events in development, otherwise by
// asking each minute whether it has changed.
import type { ServerEvent } from '../service/events.ts';
import type { ExplorerOptions, State } from './model.ts';

export interface Updates {
  /** Begins with a key; ends what a previous call began. */
  start(): void;
  stop(): void;
}

const CHECK_MS = 60_000;
const RECONNECT_MS = 2000;

/** `refresh` lists the endpoints again if they have changed. */
export function createUpdates(
  { client, page }: ExplorerOptions,
  state: State,
  refresh: () => Promise<void>,
): Updates {
  let current: AbortController | undefined;
  /** It is true if the service sends events; undefined: not known yet. */
  let hasEvents: boolean | undefined;
  const onEvent = ({ findings }: ServerEvent): void => {
    state.findings.value = findings;
    void refresh();
  };
  const follow = async (controller: AbortController): Promise<void> => {
    const key = state.key.value;
    if (key === undefined) return;
    if (hasEvents === false) await refresh();
    else hasEvents = await client.follow(key, onEvent, controller.signal).catch(() => hasEvents);
    if (controller.signal.aborted) return;
    const stop = page.after(hasEvents === false ? CHECK_MS : RECONNECT_MS, () => void follow(controller));
    controller.signal.addEventListener('abort', stop, { once: true });
  };
  const stop = (): void => current?.abort();
  const start = (): void => {
    stop();
    if (!page.isVisible()) return; // a hidden tab holds no connection: browsers allow six per host
    current = new AbortController();
    void follow(current);
  };
  page.onVisibility((isVisible) => (isVisible ? start() : stop()));
  return { start, stop };
}
