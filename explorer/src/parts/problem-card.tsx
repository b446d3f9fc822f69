// A problem for display: what happened, what to do, and the request id to report to the operator.
import { hintOf, sentence, type Problem, type ProblemPlace } from '../service/problem.ts';
import { Icon } from './icon.tsx';

export function ProblemCard({ problem }: { readonly problem: Problem }) {
  const { title, detail, errors, code, requestId } = problem;
  const isListed = errors.every(({ message }) => !detail.includes(message));
  return (
    <div class="problem" role="alert">
      <h2>
        <Icon name="warn" />
        {title}
      </h2>
      {isListed && <p>{sentence(detail)}</p>}
      {errors.length > 0 && (
        <ul>
          {errors.map((place) => (
            <li key={`${placeName(place)} ${place.message}`}>
              <strong class="mono">{placeName(place)}</strong> {messageOf(place)}
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
  );
}

function placeName({ parameter, line, column }: ProblemPlace): string {
  return parameter ?? (line === undefined ? '' : `Line ${line}, column ${column ?? 1}:`);
}

/** Parameter messages continue from the parameter's name. */
function messageOf({ parameter, message }: ProblemPlace): string {
  return parameter === undefined ? sentence(message) : message;
}
