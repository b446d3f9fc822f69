// Problems as errors of the command.
import { Problem } from '../../../sql/base/problem.ts';
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
