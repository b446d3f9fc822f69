// Shown when the endpoints cannot be listed: the reason and a retry button.
import { ProblemCard } from '../parts/problem-card.tsx';
import type { Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';

export function ListingProblem({ problem }: { readonly problem: Problem }) {
  const { key, enter } = useExplorer();
  return (
    <main class="main">
      <ProblemCard problem={problem} />
      <button type="button" class="button" onClick={() => key.value !== undefined && void enter(key.value)}>
        Try again
      </button>
    </main>
  );
}
