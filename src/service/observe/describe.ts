// Describes errors and findings in one line: in full for a terminal, and for the log.
// In the log, an error has codes, positions, and constants of this service and of its libraries. Messages of the engine and of parsers
// quote queries, bound values and stored rows, so an unknown message is never logged.
import type { Finding } from '../../sql/base/finding.ts';
import type { LoggedError } from '../../sql/base/problem.ts';

/** Characters: a library's message can quote a value of any length. */
const MAX_MESSAGE = 2 ** 17;

/** The messages of an error and of its causes, without stacks; for terminals only. */
export function describeCause(cause: unknown): string {
  const messages: string[] = [];
  for (let each = cause; each instanceof Error && messages.length < 5; each = each.cause)
    messages.push(each.message.slice(0, MAX_MESSAGE));
  return messages.length > 0 ? messages.join(' < ') : String(cause);
}

/** `file:line:column: message (code)`, a form that editors and terminals turn into a link. */
export function describeFinding({ file, line, column, code, message, hint }: Finding): string {
  const location = line === 0 ? file : `${file}:${line}:${column}`;
  return `${location}: ${message} (${code})${hint === undefined ? '' : `. ${hint}`}`;
}

const MAX_CAUSES = 5;

/** An error and its causes in one line, without what callers or rows could have put into their messages. */
export function loggedText(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const texts: string[] = [];
  for (let each: unknown = error; each instanceof Error && texts.length < MAX_CAUSES; each = each.cause) {
    const text = textOf(each);
    if (text !== '') texts.push(text);
    if (isLogged(each) && each.isLoggedWhole === true) break;
  }
  return texts.join(' < ');
}

function isLogged(error: Error): error is LoggedError {
  return 'logged' in error && typeof error.logged === 'string';
}

function textOf(error: Error): string {
  if (isLogged(error)) return error.logged;
  return systemText(error) ?? unknownText(error);
}

/** Codes of the system, of Node.js and of its libraries. */
const CODE = /^[A-Z][A-Z0-9_]{2,60}$/;

/** `ECONNREFUSED connect 127.0.0.1:8123`, from the fields of the error. Addresses and paths are those of the settings. */
function systemText(error: Error): string | undefined {
  const { code, syscall, address, hostname, port, path, reason } = fieldsOf(error);
  if (typeof code !== 'string' || !CODE.test(code)) return undefined;
  const host = address ?? hostname;
  const place = typeof host === 'string' ? `${host}${typeof port === 'number' ? `:${port}` : ''}` : path;
  const certificate = code.startsWith('ERR_TLS_CERT') ? reason : undefined;
  return [code, syscall, place, certificate].filter((each) => typeof each === 'string').join(' ');
}

function fieldsOf(error: Error): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    ['code', 'syscall', 'address', 'hostname', 'port', 'path', 'reason'].map((name) => [
      name,
      Reflect.get(error, name),
    ]),
  );
}

const NAME = /^[A-Za-z]{1,60}$/;
const MAX_FRAMES = 3;
/** A line of a stack: `    at name (file:///…/chunk.js:1:2)`. */
const FRAME = /^ {4}at (?:async )?([\w.$<> ]*?) ?\(?(?:file:\/\/|node:)?[^():]*?([^/():]+:\d+:\d+)\)?$/;

/** The kind of error and where it was thrown, for mistakes in the service itself. */
function unknownText(error: Error): string {
  const name = NAME.test(error.name) ? error.name : 'Error';
  const { stack = '', message } = error;
  const at = stack.indexOf(message);
  // The message may have lines that look like those of a stack.
  const lines = at === -1 ? [] : stack.slice(at + message.length).split('\n');
  const frames = lines.flatMap((line) => {
    const [, caller = '', place] = FRAME.exec(line) ?? [];
    return place === undefined ? [] : [`${caller === '' ? '' : `${caller} `}${place}`];
  });
  return [name, ...frames.slice(0, MAX_FRAMES).map((frame) => `at ${frame}`)].join(' ');
}
