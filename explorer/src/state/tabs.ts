// Shares the key between the open tabs of this service in one browser: a new tab gets it from another, and forgetting it in
// one tab forgets it in all. It is never stored permanently.

export interface Tabs {
  /** Requests the key from other tabs; calls back if one has it. */
  readonly request: (received: (key: string) => void) => void;
  /** Answers requests of other tabs, and calls back when one of them forgets the key. */
  readonly share: (key: () => string | undefined, forgotten: () => void) => void;
  readonly announceForgotten: () => void;
}

type Message =
  | { readonly kind: 'request' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'forgotten' };

/** `base` is the page's URL: services under other paths of the origin have channels of their own. */
export function createTabs(base: string): Tabs {
  const channel = openChannel(`millrace ${base}`);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches its own origin only
  const post = (message: Message): void => channel?.postMessage(message);
  const listen = (receive: (message: Message) => void): void => {
    // Only pages of this origin can post to the channel, and only this page does.
    channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  };
  return {
    request: (received) => {
      listen((message) => {
        if (message.kind === 'key') received(message.key);
      });
      post({ kind: 'request' });
    },
    share: (key, forgotten) =>
      listen(({ kind }) => {
        const known = key();
        if (kind === 'request' && known !== undefined) post({ kind: 'key', key: known });
        if (kind === 'forgotten') forgotten();
      }),
    announceForgotten: () => post({ kind: 'forgotten' }),
  };
}

/** Undefined if the browser does not allow it. */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}
