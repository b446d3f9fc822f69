// Nodes of the syntax tree are consumed by their writers: a part that a writer has not read is reported at its place, never dropped.

import { unconverted } from './context.ts';

/** A part of a node that is there and was not read. */
export interface Unread {
  readonly part: string;
  readonly at: number;
}

/** A node that records which of its parts are read. Copying it reads all of them. */
export function recorded<N extends object>(node: N, read: Set<string>): N {
  return new Proxy(node, {
    get(target, part) {
      if (typeof part === 'string') read.add(part);
      return Reflect.get(target, part) as unknown;
    },
  });
}

/** A list that records which of its elements are read. */
export function recordedList<E>(list: readonly E[], read: Set<number>): readonly E[] {
  return new Proxy(list, {
    get(target, part) {
      if (typeof part === 'string' && /^\d+$/.test(part)) read.add(Number(part));
      return Reflect.get(target, part) as unknown;
    },
  });
}

/** Parts of a node that carry no meaning of their own. */
const BARE: ReadonlySet<string> = new Set(['kind', 'at']);

/** The first part that is there and is not in `read`. */
export function unreadOf(node: object, read: ReadonlySet<string>): Unread | undefined {
  for (const part of Object.keys(node)) {
    if (read.has(part) || BARE.has(part)) continue;
    const own: unknown = Reflect.get(node, part);
    if (isPresent(own)) return { part, at: placeOf(own) ?? placeOf(node) ?? 0 };
  }
  return undefined;
}

function isPresent(part: unknown): boolean {
  return part !== undefined && part !== false && !(Array.isArray(part) && part.length === 0);
}

/** Where a part begins: the first place in it. */
function placeOf(part: unknown): number | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  if ('at' in part && typeof part.at === 'number') return part.at;
  for (const each of Object.values(part)) {
    const at = placeOf(each);
    if (at !== undefined) return at;
  }
  return undefined;
}

/**
 * Gives a node to its writer.
 * @param what the node in messages
 * @throws UnconvertedError for a part that the writer has not read
 */
export function consumed<N extends object, R>(node: N, what: string, write: (node: N) => R): R {
  const read = new Set<string>();
  const result = write(recorded(node, read));
  const unread = unreadOf(node, read);
  if (unread !== undefined)
    unconverted(unread.at, 'clause', `${unread.part} of ${what} is not supported here`);
  return result;
}
