// Problems as errors of the command.
import { Problem } from '../../../sql/base/problem.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { CommandError } from '../../kit/command-error.ts';
import { type ProblemText, problemIn, type ServiceResponse } from '../../kit/service-client.ts';

/** A problem as an error of the command: its message, then what is wrong where, the cause and the hint. */
export function problemError(problem: Problem | ProblemText): CommandError {
  const errors = problem.errors.map(({ parameter, line, column, message }) => {
    const location = parameter ?? (line === undefined ? '' : `${line}:${column ?? 1}`);
    return location === '' ? message : `${location}: ${message}`;
  });
  const isOwn = problem instanceof Problem;
  const failed = isOwn && problem.status >= 500 && problem.cause instanceof Error ? problem.cause : undefined;
  const causes = failed === undefined ? [] : [failed.message];
  const details = [...errors, ...causes, ...(problem.hint === undefined ? [] : [problem.hint])];
  return new CommandError(`${problem.message} (${problem.code})`, {
    cause: isOwn ? problem : undefined,
    details,
  });
}

/** What a response with another status than 200 says. */
export function rejectionIn({ status, body }: ServiceResponse, url: string): CommandError {
  const problem = problemIn(body);
  if (problem === undefined)
    return new CommandError(`${url} responded with ${status}, and is not a Millrace service`);
  return problemError(problem);
}

/** A problem of a call in this process; an unknown endpoint may be in one of the files that are not served. */
export function localError(problem: Problem, rejected: readonly Finding[]): CommandError {
  const error = problemError(problem);
  const [first] = rejected;
  if (problem.code !== 'route.endpoint_unknown' || first === undefined) return error;
  const files = new Set(rejected.map(({ file }) => file)).size;
  const { file, line, column, message } = first;
  const others = files === 1 ? '' : `, and ${files - 1} more`;
  return new CommandError(error.message, {
    cause: problem,
    details: [
      ...error.details,
      `Files with errors are not served: ${file}:${line}:${column} ${message}${others}; run millrace validate`,
    ],
  });
}
