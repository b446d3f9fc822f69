// Checks the query with the service as it is typed: its problems, or the SQL that it translates to.
import { useEffect, useState } from 'preact/hooks';
import type { Language } from '../service/listing.ts';
import { CallFailure, type Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';

export type Check =
  | { readonly kind: 'unknown' }
  /** `isCurrent`: whether the result belongs to the current text. */
  | { readonly kind: 'fine'; readonly sql: string; readonly isCurrent: boolean }
  | { readonly kind: 'refused'; readonly problem: Problem };

const PAUSE_MS = 450;
const UNKNOWN: Check = { kind: 'unknown' };

/** The latest check result; a check starts when typing pauses. */
export function useCheck(endpoint: string, language: Language, text: string): Check {
  const { client, key } = useExplorer();
  const [known, setKnown] = useState<{ readonly text: string; readonly check: Check }>();
  useEffect(() => {
    if (text.trim() === '') return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const ask = { endpoint, parameters: {}, own: { language, text } };
      client.explain(key.value ?? '', ask, controller.signal).then(
        (sql) => setKnown({ text, check: { kind: 'fine', sql, isCurrent: true } }),
        (error: unknown) => {
          if (!controller.signal.aborted) setKnown({ text, check: refusal(error) });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [endpoint, language, text]);
  if (known === undefined || known.text === text) return known?.check ?? UNKNOWN;
  return known.check.kind === 'fine' ? { ...known.check, isCurrent: false } : UNKNOWN;
}

/** While typing, only problems with a location in the text are shown; the rest appear on run. */
function refusal(error: unknown): Check {
  if (!(error instanceof CallFailure)) throw error;
  const { problem } = error;
  return problem.errors.some(({ line }) => line !== undefined) ? { kind: 'refused', problem } : UNKNOWN;
}
