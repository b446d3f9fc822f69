// The result of checking a consumer query: the first problem with its location, or the SQL that LQL translates to.
import type { Language } from '../service/listing.ts';
import { hintOf, sentence, type Problem } from '../service/problem.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { layOut } from './layout.ts';
import type { Check } from './use-check.ts';

interface Props {
  readonly check: Check;
  readonly problem: Problem | undefined;
  readonly language: Language;
}

export function CheckResult({ check, problem, language }: Props) {
  if (problem !== undefined) return <QueryProblem problem={problem} />;
  if (language === 'sql') return null;
  const sql = check.kind === 'valid' ? layOut(check.sql) : '';
  const isCurrent = check.kind === 'valid' && check.isCurrent;
  return (
    <details class="translation" open data-current={isCurrent}>
      <summary>Generated SQL</summary>
      <pre class="mono" tabIndex={0} role="group" aria-label="The SQL generated from your LQL">
        {sql}
      </pre>
      <CopyButton text={() => sql} what="the SQL" label="Copy SQL" />
    </details>
  );
}

function QueryProblem({ problem }: { readonly problem: Problem }) {
  const [first] = problem.errors;
  return (
    <p class="query-problem" role="status">
      <Icon name="warn" />
      <span>
        {first?.line !== undefined && <strong>{`Line ${first.line}, column ${first.column ?? 1}: `}</strong>}
        {sentence(first?.message ?? problem.detail)} {hintOf(problem)}
      </span>
    </p>
  );
}
