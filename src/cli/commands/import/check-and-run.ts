// Checks the drafts of an import and runs them, again with the settings that the engine asks for.
import type { NewFile } from '../check-written.ts';
import { changedPaths, checkDrafts, type CheckedDrafts } from './check-drafts.ts';
import type { ConvertSettings } from './convert-query.ts';
import { asAsked } from './asked.ts';
import type { EndpointDraft } from './endpoint-text.ts';
import type { Making } from './options.ts';
import { withRows, type Proof } from './prove.ts';

/** Some of what the engine asks for, it says when a query is run: those are checked and run again. */
export async function checkAndRun(
  drafts: readonly EndpointDraft[],
  rows: readonly NewFile[],
  making: Making & { readonly settings: ConvertSettings },
): Promise<{ readonly checked: CheckedDrafts; readonly proof: Proof }> {
  const { options, on, terminal } = making;
  const first = await checkDrafts(drafts, making);
  const proving = { ...options, ...on, progress: terminal.progress };
  return withRows(rows, proving, async (run) => {
    let checked = first;
    let proof = await run([...checked.files.values()]);
    for (
      let next = withAsked(checked, proof, making);
      next !== undefined;
      next = withAsked(checked, proof, making)
    ) {
      const changed = changedPaths(next, checked);
      checked = await checkDrafts(next, making, checked);
      const again = [...checked.files].flatMap(([path, file]) => (changed.has(path) ? [file] : []));
      proof = merged(proof, await run(again));
    }
    return { checked, proof };
  });
}

function merged({ runs, rejected }: Proof, again: Proof): Proof {
  return { runs: new Map([...runs, ...again.runs]), rejected };
}

/** The drafts with the settings that failures ask for; undefined if none does. */
function withAsked(
  { drafts }: CheckedDrafts,
  { runs }: Proof,
  { settings }: { readonly settings: ConvertSettings },
): readonly EndpointDraft[] | undefined {
  const next = drafts.map((draft) => {
    const failures = runs.get(draft.endpoint)?.failures ?? [];
    const findings = failures.map(({ finding }) => finding);
    return asAsked(draft, findings, settings.known) ?? draft;
  });
  return next.some((draft, index) => draft !== drafts[index]) ? next : undefined;
}
