// Checks the query with the service as it is typed: its problems, or the SQL that it translates to.
import { useEffect, useState } from 'preact/hooks';
import type { ConsumerQuery, Explanation } from '../service/client.ts';
import type { Endpoint } from '../service/listing.ts';
import { CallFailure, isRetryable, type Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';

export type Check =
  | { readonly kind: 'unknown' }
  /** `isCurrent`: whether the result belongs to the current query. */
  | ({ readonly kind: 'valid'; readonly isCurrent: boolean } & Explanation)
  | { readonly kind: 'rejected'; readonly problem: Problem };

const PAUSE_MS = 450;
/** After a check that did not take place; doubled each time, up to `LONGEST_MS`. */
const RETRY_MS = 5000;
const LONGEST_MS = 300_000;
const UNKNOWN: Check = { kind: 'unknown' };
/** Longer queries are checked when they run. */
const MAX_CHARACTERS = 65_536;

interface Checked {
  readonly query: string;
  readonly check: Check;
}

/** A query whose check did not take place, and how many times in succession. */
interface Failed {
  readonly query: string;
  readonly times: number;
}

/**
 * The latest check result. A check starts when typing pauses, and is cancelled by more typing. After 429 none starts
 * before the service accepts it. A check that fails for a reason that passes, such as a busy engine, is repeated.
 */
export function useCheck(endpoint: Endpoint, { language, text, dialect }: ConsumerQuery): Check {
  const { client, key } = useExplorer();
  const [checked, setChecked] = useState<Checked>();
  const [notBefore, setNotBefore] = useState(0);
  const [failed, setFailed] = useState<Failed>();
  const query = JSON.stringify([endpoint.revision, language, dialect, text]);
  useEffect(() => {
    if (text.trim() === '' || text.length > MAX_CHARACTERS || checked?.query === query) return undefined;
    const controller = new AbortController();
    const times = failed?.query === query ? failed.times : 0;
    const finish = (check: Check): void => {
      if (!controller.signal.aborted) setChecked({ query, check });
    };
    const check = (): void => {
      const ask = { endpoint: endpoint.name, parameters: {}, own: { language, text, dialect } };
      client.explain(key.value ?? '', ask, controller.signal).then(
        (explanation) => finish({ kind: 'valid', isCurrent: true, ...explanation }),
        (error: unknown) => {
          if (controller.signal.aborted) return;
          if (!(error instanceof CallFailure)) throw error;
          setNotBefore(error.problem.retryAt ?? 0);
          if (isRetryable(error.problem)) setFailed({ query, times: times + 1 });
          else finish(rejection(error.problem));
        },
      );
    };
    const retry = times === 0 ? 0 : Math.min(RETRY_MS * 2 ** (times - 1), LONGEST_MS);
    const timer = setTimeout(check, Math.max(PAUSE_MS, retry, notBefore - performance.now()));
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, failed]);
  if (checked === undefined || checked.query === query) return checked?.check ?? UNKNOWN;
  return checked.check.kind === 'valid' ? { ...checked.check, isCurrent: false } : UNKNOWN;
}

/** While typing, only problems with a location in the text are shown; the rest appear on run. */
function rejection(problem: Problem): Check {
  return problem.errors.some(({ line }) => line !== undefined) ? { kind: 'rejected', problem } : UNKNOWN;
}
