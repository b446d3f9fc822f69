// Progress notifications of a call that takes longer than a moment, if the client asked for them.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { After } from '../../../sql/base/clock.ts';

/** Calls that end earlier have no notification. */
const INTERVAL_MS = 1000;

/** Notifies once a second, until the returned function is called. How much is left is not known: progress is seconds. */
export function reportProgress(
  { _meta, notify, signal }: ServerContext['mcpReq'],
  after: After,
): (() => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let cancel: (() => void) | undefined;
  const wait = (seconds: number): void => {
    cancel = after(INTERVAL_MS, () => {
      if (signal.aborted) return;
      const params = { progressToken, progress: seconds, message: `Running for ${seconds} s` };
      // The connection may have been closed meanwhile.
      notify({ method: 'notifications/progress', params }).catch(() => undefined);
      wait(seconds + 1);
    });
  };
  wait(1);
  return () => cancel?.();
}
