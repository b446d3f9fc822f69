// Command output: results to stdout, everything else to stderr; colour and progress only on a terminal.
import type { WriteStream } from 'node:tty';

/** The output streams of a command. */
export interface Terminal {
  /** Prints a line of the result to stdout. */
  readonly print: (line: string) => void;
  /** Writes part of the result to stdout as it is. */
  readonly write: (text: string) => void;
  /** Prints a message to stderr. */
  readonly note: (line: string) => void;
  /** Shows the current progress, on a terminal in place of the previous one; '' clears it. */
  readonly progress: (text: string) => void;
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
  return {
    print(line) {
      clear();
      out.write(`${line}\n`);
    },
    write(text) {
      clear();
      out.write(text);
    },
    note(line) {
      clear();
      err.write(`${line}\n`);
    },
    progress(text) {
      if (!err.isTTY) return;
      clear();
      if (text !== '') err.write(text);
      shown = text !== '';
    },
    paint(style, text) {
      const [on, off] = CODES[style];
      return isColored ? `\u001b[${on}m${text}\u001b[${off}m` : text;
    },
  };
}
