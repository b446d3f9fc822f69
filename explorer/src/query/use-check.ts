// Checks the query with the service as it is typed: its problems, or the SQL that it translates to.
import { useEffect, useState } from 'preact/hooks';
import type { ConsumerQuery, Explanation } from '../service/client.ts';
import type { Endpoint } from '../service/listing.ts';
import { CallFailure, type Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';

export type Check =
  | { readonly kind: 'unknown' }
  /** `isCurrent`: whether the result belongs to the current query. */
  | ({ readonly kind: 'valid'; readonly isCurrent: boolean } & Explanation)
  | { readonly kind: 'rejected'; readonly problem: Problem };

const PAUSE_MS = 450;
const UNKNOWN: Check = { kind: 'unknown' };
/** Longer queries are checked when they run. */
const MAX_CHARACTERS = 65_536;

interface Checked {
  readonly query: string;
  readonly check: Check;
}

/**
 * The latest check result. A check starts when typing pauses, and is cancelled by more typing. After 429 none starts
 * before the service accepts it.
 */
export function useCheck(endpoint: Endpoint, { language, text, dialect }: ConsumerQuery): Check {
  const { client, key } = useExplorer();
  const [checked, setChecked] = useState<Checked>();
  const [notBefore, setNotBefore] = useState(0);
  const query = JSON.stringify([endpoint.revision, language, dialect, text]);
  useEffect(() => {
    if (text.trim() === '' || text.length > MAX_CHARACTERS || checked?.query === query) return undefined;
    const controller = new AbortController();
    const finish = (check: Check): void => {
      if (!controller.signal.aborted) setChecked({ query, check });
    };
    const check = (): void => {
      const ask = { endpoint: endpoint.name, parameters: {}, own: { language, text, dialect } };
      client.explain(key.value ?? '', ask, controller.signal).then(
        (explanation) => finish({ kind: 'valid', isCurrent: true, ...explanation }),
        (error: unknown) => {
          if (controller.signal.aborted) return;
          setNotBefore(retryAtOf(error));
          finish(rejection(error));
        },
      );
    };
    const timer = setTimeout(check, Math.max(PAUSE_MS, notBefore - performance.now()));
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query]);
  if (checked === undefined || checked.query === query) return checked?.check ?? UNKNOWN;
  return checked.check.kind === 'valid' ? { ...checked.check, isCurrent: false } : UNKNOWN;
}

function retryAtOf(error: unknown): number {
  return error instanceof CallFailure ? (error.problem.retryAt ?? 0) : 0;
}

/** While typing, only problems with a location in the text are shown; the rest appear on run. */
function rejection(error: unknown): Check {
  if (!(error instanceof CallFailure)) throw error;
  const { problem } = error;
  return problem.errors.some(({ line }) => line !== undefined) ? { kind: 'rejected', problem } : UNKNOWN;
}
