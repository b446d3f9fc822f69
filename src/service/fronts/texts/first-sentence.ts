// The first sentence of a description, on one line.
import { plainText } from '../mcp/endpoints/table-text.ts';

const MAX_LENGTH = 200;

export function firstSentence(description: string): string {
  const [first = ''] = description
    .trim()
    .replace(/\s+/g, ' ')
    .split(/(?<=\.)\s/);
  return plainText(first.length > MAX_LENGTH ? `${first.slice(0, MAX_LENGTH)}…` : first);
}
