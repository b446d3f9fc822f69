// Why a response took its time, and the statement as it was sent: opened from below the result.
import { useEffect, useState } from 'preact/hooks';
import type { CallReport } from '../service/call-report.ts';
import type { Ask, StatementStep } from '../service/client.ts';
import { CallFailure, type Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';
import { ProblemCard } from '../parts/problem-card.tsx';
import { WindowDialog } from '../parts/window-dialog.tsx';
import { ReportView } from './report-view.tsx';
import { StatementView } from './statement-view.tsx';

interface Props {
  readonly ask: Ask;
  readonly requestId: string;
}

export function WhyButton(props: Props) {
  const [isOpen, setOpen] = useState(false);
  if (props.requestId === '') return null;
  return (
    <>
      <button
        type="button"
        class="button small"
        aria-haspopup="dialog"
        title="Where the time of this response went, and why"
        onClick={() => setOpen(true)}
      >
        Why
      </button>
      {isOpen && <WhyDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

interface Loaded {
  readonly report?: CallReport;
  readonly problem?: Problem;
  /** Undefined: the key sees no statements. */
  readonly steps?: readonly StatementStep[] | undefined;
}

function WhyDialog({ ask, requestId, onClose }: Props & { readonly onClose: () => void }) {
  const { client, key } = useExplorer();
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const sent = key.value ?? '';
    const load = async (): Promise<void> => {
      const steps = await client.explain(sent, ask, signal).then(
        (explained) => explained.steps,
        () => undefined, // this key may not see it, or the engine is busy
      );
      const report = await client.why(sent, requestId, signal);
      setLoaded({ report, steps });
    };
    load().catch((error: unknown) => {
      if (signal.aborted) return;
      if (!(error instanceof CallFailure)) throw error;
      setLoaded({ problem: error.problem });
    });
    return () => controller.abort();
  }, [requestId]);
  return (
    <WindowDialog title="Why this took its time" onClose={onClose}>
      {loaded === undefined && <p role="status">Loading…</p>}
      {loaded?.problem !== undefined && <ProblemCard problem={loaded.problem} onRetry={undefined} />}
      {loaded?.report !== undefined && <ReportView report={loaded.report} />}
      {loaded?.steps !== undefined && <StatementView steps={loaded.steps} />}
    </WindowDialog>
  );
}
