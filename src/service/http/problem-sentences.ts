// A problem as plain sentences, for protocols whose errors are one text.
import type { Problem, ProblemCode, ProblemDetail } from '../../sql/base/problem.ts';
import { PROBLEMS } from '../../sql/base/problems.ts';

/** Details beyond these are left out. */
const MAX_DETAILS = 10;

/**
 * What is wrong, each detail that this does not say already, and what to do. `hints` are of the protocol, in place of hints of the API
 * that do not fit it.
 */
export function problemSentences(
  { code, message, errors, hint }: Problem,
  hints: Partial<Record<ProblemCode, string>>,
): string {
  const details = errors
    .slice(0, MAX_DETAILS)
    .filter((each) => !message.includes(each.message))
    .map(describe);
  const isGeneral = hint === PROBLEMS[code].hint;
  const advice = ((isGeneral ? hints[code] : undefined) ?? hint).replace(/ (?:given|listed) in errors/, '');
  return [sentence([message, details.join('; ')].filter(Boolean).join(': ')), sentence(advice)].join(' ');
}

function describe({ message, parameter, line, column }: ProblemDetail): string {
  const place =
    line === undefined ? parameter : `line ${line}${column === undefined ? '' : `, column ${column}`}`;
  return place === undefined ? message : `${place}: ${message}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
