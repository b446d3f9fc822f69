// Prints JSON documents that are written in a query as the source does.
import type { Value } from './value.ts';

const PART = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s+/g;

/**
 * Returns a literal document as the source prints it: without spaces, and with a fraction for each number that has one. Returns undefined
 * if it is not plain.
 */
export function printedLiteral({ literal }: Value): string | undefined {
  if (literal === undefined) return undefined;
  try {
    JSON.parse(literal);
  } catch {
    return undefined;
  }
  let isPlain = true;
  const printed = literal.replaceAll(PART, (part) => {
    if (part.startsWith('"') || /^-?\d{1,18}$/.test(part)) return part;
    if (part.trim() === '') return '';
    const number = Number(part);
    isPlain &&= number === 0 ? !part.startsWith('-') : Math.abs(number) >= 1e-4 && Math.abs(number) < 1e15;
    return Number.isInteger(number) ? `${number}.0` : String(number);
  });
  return isPlain ? ordered(printed, { space: '', order: byName }) : undefined;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/g;

interface JsonMember {
  readonly name: string;
  readonly text: string;
}

/** It sets what follows commas and colons, and which member of an object comes first. */
interface Printing {
  readonly space: '' | ' ';
  readonly order: (a: string, b: string) => number;
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

const sizeOf = (name: string): number => new TextEncoder().encode(name).length;

/** PostgreSQL's jsonb orders names like this. */
export const bySize = (a: string, b: string): number => sizeOf(a) - sizeOf(b) || byName(a, b);

const withoutSpaces = (document: string): string =>
  document.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? part : ''));

/** Returns a literal document as PostgreSQL's jsonb prints it, with the last member of each name; undefined if it is none. */
export function jsonbLiteral(literal: string): string | undefined {
  try {
    JSON.parse(literal);
  } catch {
    return undefined;
  }
  const compact = withoutSpaces(literal);
  // Other numbers are written in another form, and escapes as the characters that they mean.
  return /[eE][+-]?\d|\\/.test(compact) ? undefined : ordered(compact, { space: ' ', order: bySize });
}

/** Returns whether an object in a document has two members of a name. */
export function repeatsName(document: string): boolean {
  const compact = withoutSpaces(document);
  return ordered(compact, { space: '', order: () => 0 }).length < compact.length;
}

/** Returns a document without spaces, with the members of each object in order, and one of each name. */
function ordered(document: string, { space, order }: Printing): string {
  const tokens = document.match(TOKEN) ?? [];
  let at = 0;
  const read = (): string => {
    const start = tokens[at++] ?? '';
    if (start !== '{' && start !== '[') return start;
    const [end, items] = [start === '{' ? '}' : ']', [] as JsonMember[]];
    while (at < tokens.length && tokens[at] !== end) {
      const name = start === '{' ? `${tokens[at++] ?? ''}${tokens[at++] ?? ''}` : '';
      items.push({ name, text: read() });
      if (tokens[at] === ',') at++;
    }
    at++;
    const kept = start === '{' ? members(items, { space, order }) : items;
    const between = space === '' || start === '[' ? '' : space;
    return `${start}${kept.map(({ name, text }) => name + between + text).join(`,${space}`)}${end}`;
  };
  return read();
}

/** PostgreSQL keeps the last member of a name, BigQuery the first one. */
function members(items: readonly JsonMember[], { space, order }: Printing): readonly JsonMember[] {
  const inTurn = space === ' ' ? items.toReversed() : items;
  const once = inTurn.filter(({ name }, index) => inTurn.findIndex((each) => each.name === name) === index);
  return once.toSorted((a, b) => order(a.name, b.name));
}
