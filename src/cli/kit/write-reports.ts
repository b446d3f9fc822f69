// Reports that a command writes to files beside the one that it prints: `--write format=file`.
import { CommandError } from './command-error.ts';
import { splitPair } from './name-value.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import { write } from './write-file.ts';

type Print<T> = (report: T, terminal: Terminal) => void | Promise<void>;

export interface WrittenReport<T> {
  readonly print: Print<T>;
  readonly file: string;
}

/** Reads the values of `--write`. Throws CommandError (exit 2) if one is not `format=file` or its format is unknown. */
export function readWrites<T>(
  values: readonly string[],
  printers: Readonly<Record<string, Print<T>>>,
): readonly WrittenReport<T>[] {
  return values.map((value) => {
    const [format, file] = splitPair(value);
    const print = Object.hasOwn(printers, format) ? printers[format] : undefined;
    if (print !== undefined && file !== '') return { print, file };
    const formats = Object.keys(printers).join(', ');
    throw new CommandError(`Invalid --write "${value}": use format=file; formats are ${formats}`, {
      exitCode: 2,
    });
  });
}

/** Collects the values of a repeated flag. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Prints as `print` does, and writes the other reports. Rejects with CommandError if a file cannot be written. */
export function printAndWrite<T>(print: Print<T>, writes: readonly WrittenReport<T>[]) {
  return async (report: T, terminal: Terminal): Promise<void> => {
    for (const { print: render, file } of writes) {
      const lines: string[] = [];
      const inFile = { isTTY: false, write: (text: unknown) => lines.push(String(text)) > 0 };
      await render(report, createTerminal(inFile, NOWHERE, {}));
      await write(file, lines.join(''));
    }
    await print(report, terminal);
  };
}

/** Notes are not part of a report. */
const NOWHERE = { isTTY: false, write: () => true };
