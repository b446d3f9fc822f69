// Problems as ClickHouse reports exceptions: one line of text that clients parse for the code and the name.
import type { Problem, ProblemCode } from '../../../sql/base/problem.ts';
import { problemSentences } from '../../http/problem-sentences.ts';
import { exceptionOf } from './exception-codes.ts';

/** An exception as it is sent. */
export interface Exception {
  readonly code: number;
  /** HTTP. */
  readonly status: number;
  /** `Code: 60. DB::Exception: … (UNKNOWN_TABLE) (version 1.2 (official build))` and a line break. */
  readonly text: string;
}

/** `version` is what `version()` returns. */
export function exceptionFor(problem: Problem, version: string): Exception {
  const { code, name, status } = exceptionOf(problem);
  const message = `${beginningOf(problem, code)}${problemSentences(problem, HINTS)}`.replaceAll(
    /\p{Cc}+/gu,
    ' ',
  ); // it may quote what was sent
  const text = `Code: ${code}. DB::Exception: ${message} (${name}) (version ${version} (official build))\n`;
  return { code, status, text };
}

const SYNTAX_ERROR = 62;
const AUTHENTICATION_FAILED = 516;

/** Clients look for these words of a server. */
function beginningOf({ errors: [first] }: Problem, code: number): string {
  if (code === AUTHENTICATION_FAILED) return 'Authentication failed: ';
  if (code !== SYNTAX_ERROR) return '';
  if (first?.line === undefined) return 'Syntax error: ';
  return `Syntax error: failed at position ${first.column ?? 1} of line ${first.line}: `;
}

/** Hints of the API that do not fit this interface. */
const HINTS: Partial<Record<ProblemCode, string>> = {
  'auth.missing':
    'Send your key as the password: by Basic authentication, in X-ClickHouse-Key or as password=; the user name does not matter.',
  'route.unknown':
    'Send queries with POST, or with GET as query=; ping and replicas_status are for load balancers.',
  'route.endpoint_unknown': 'SHOW DATABASES lists the databases of your key.',
  'request.parameters_invalid': 'Correct the parameter, or leave it out.',
  'request.body_invalid':
    'Send the query as the body, or the fields query and param_x as multipart/form-data.',
  'request.encoding_unsupported':
    'Send the body with gzip, deflate, br or zstd, in the blocks of decompress=1, or uncompressed.',
  'request.encoding_invalid':
    'Compress the body as Content-Encoding or decompress=1 says, or send it uncompressed.',
  'sandbox.syntax_unsupported': 'Write a single SELECT over the tables of one database.',
  'sandbox.check_mismatch':
    'Simplify the query; if it is already simple, report X-ClickHouse-Query-Id to the operator.',
  'sandbox.too_large':
    'Shorten it: fewer expressions, parentheses, subqueries and repeated tables, and shorter values of placeholders.',
  'sandbox.table_denied': 'SHOW TABLES lists the tables of the database.',
  'sandbox.function_denied': 'The table system.functions lists the functions that queries may call.',
  'format.not_acceptable': 'Name another format in FORMAT or default_format.',
};
