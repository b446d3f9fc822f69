// Shown when the endpoints cannot be listed: the reason and a retry button.
import { ProblemCard } from '../parts/problem-card.tsx';
import type { Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';

export function ListingProblem({ problem }: { readonly problem: Problem }) {
  const { key, enter } = useExplorer();
  const retry = (): void => {
    if (key.value !== undefined) void enter(key.value);
  };
  return (
    <main class="main" id="main">
      <ProblemCard problem={problem} onRetry={retry} />
    </main>
  );
}
