// Reads a stream line by line, with a bound.
import { StringDecoder } from 'node:string_decoder';
import { CommandError } from '../../kit/command-error.ts';

/** Characters of a message; a service accepts a megabyte. */
const MAX_LINE = 4_194_304;

/** Lines that are not empty, without their ends. Throws CommandError for a line that is too long. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder();
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.write(Buffer.from(chunk))).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new CommandError(`A message is longer than ${MAX_LINE} characters`);
    yield* lines.filter(isFilled);
  }
  yield* [rest].filter(isFilled);
}

function isFilled(line: string): boolean {
  return line.trim() !== '';
}
