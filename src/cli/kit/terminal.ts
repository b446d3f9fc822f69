// Command output: results to stdout, everything else to stderr; colour and progress only on a terminal.
import type { WriteStream } from 'node:tty';
import { lineText, visible, visibleLines, withoutCommands } from '../../service/observe/visible-text.ts';

/** The output streams of a command. */
export interface Terminal {
  /** Prints one line of the result to stdout, as `lineText` writes it. */
  readonly print: (line: string) => void;
  /**
   * Writes a document, or part of one, to stdout: as it is to a file or a pipe, and without control characters to a terminal.
   * What was read is escaped before, for the format of the document.
   */
  readonly write: (text: string) => void;
  /** Prints one line to stderr, in the same way. */
  readonly note: (line: string) => void;
  /** Shows the current progress, on a terminal in place of the previous one; '' clears it. */
  readonly progress: (text: string) => void;
  /** Clears the screen of a terminal, so that the next line is its first one. */
  readonly clear: () => void;
  readonly paint: (style: Style, text: string) => string;
}

export type Style = 'red' | 'yellow' | 'green' | 'dim' | 'bold';

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  dim: [2, 22],
  bold: [1, 22],
};

type Output = Pick<WriteStream, 'write' | 'isTTY'>;

/**
 * Until a line is printed, a style begins and ends with a noncharacter: `print` could not distinguish escape sequences of `paint` from
 * those of a file, and names have no noncharacters.
 */
const FIRST_MARK = 0xfdd0;
const SEQUENCES: readonly string[] = Object.values(CODES)
  .flat()
  .map((code) => `\u001b[${code}m`);
const MARKS = /([\ufdd0-\ufdd9])/;

/** Honours NO_COLOR (https://no-color.org), and prints no colour to pipes. */
export function createTerminal(
  out: Output,
  err: Output,
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const isColored = out.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  let shown = false;
  const clear = (): void => {
    if (shown) err.write('\r\u001b[K');
    shown = false;
  };
  const shownLine = isColored ? coloured : lineText;
  return {
    print(line) {
      clear();
      out.write(`${shownLine(line)}\n`);
    },
    write(text) {
      clear();
      out.write(out.isTTY ? visibleLines(text) : text);
    },
    note(line) {
      clear();
      err.write(`${shownLine(line)}\n`);
    },
    progress(text) {
      if (!err.isTTY) return;
      clear();
      if (text !== '') err.write(visible(text));
      shown = text !== '';
    },
    clear() {
      if (out.isTTY) out.write('\u001b[H\u001b[2J');
    },
    paint(style, text) {
      return isColored ? painted(style, text) : text;
    },
  };
}

function painted(style: Style, text: string): string {
  const at = FIRST_MARK + 2 * Object.keys(CODES).indexOf(style);
  return `${String.fromCharCode(at)}${text}${String.fromCharCode(at + 1)}`;
}

/** A line with the escape sequences of its styles, and no others. */
function coloured(line: string): string {
  return withoutCommands(line)
    .split(MARKS)
    .map((part) => (MARKS.test(part) ? SEQUENCES[part.charCodeAt(0) - FIRST_MARK] : visible(part)))
    .join('');
}
