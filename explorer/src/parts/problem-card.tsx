// A problem for display: what happened, what to do, a retry, and the request id to report to the operator.
import type { ProblemDetail } from '../../../src/sql/base/problem.ts';
import { hintOf, sentence, type Problem } from '../service/problem.ts';
import { Icon } from './icon.tsx';
import { RetryButton } from './retry-button.tsx';

interface Props {
  readonly problem: Problem;
  /** Undefined: a retry of the same request is pointless. */
  readonly onRetry?: (() => void) | undefined;
}

export function ProblemCard({ problem, onRetry }: Props) {
  const { title, detail, errors, code, requestId, retryAt } = problem;
  const isListed = errors.every(({ message }) => !detail.includes(message));
  return (
    <div class="problem">
      <div role="alert">
        <h2>
          <Icon name="warn" />
          {title}
        </h2>
        {isListed && <p>{sentence(detail)}</p>}
        {errors.length > 0 && (
          <ul>
            {errors.map((location) => (
              <li key={`${nameOf(location)} ${location.message}`}>
                <strong class="mono">{nameOf(location)}</strong> {messageOf(location)}
              </li>
            ))}
          </ul>
        )}
        <p class="problem-hint">{hintOf(problem)}</p>
        <p class="note mono">
          {code}
          {requestId !== '' && ` · request ${requestId}`}
        </p>
      </div>
      {onRetry !== undefined && <RetryButton key={retryAt} retryAt={retryAt} onRetry={onRetry} />}
    </div>
  );
}

function nameOf({ parameter, line, column }: ProblemDetail): string {
  return parameter ?? (line === undefined ? '' : `Line ${line}, column ${column ?? 1}:`);
}

/** Parameter messages continue from the parameter's name. */
function messageOf({ parameter, message }: ProblemDetail): string {
  return parameter === undefined ? sentence(message) : message;
}
