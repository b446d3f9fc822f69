// SQL that is put together from fragments of the source text and generated text, with the origin of each.
import type { Value } from './nodes.ts';

export interface Fragment {
  readonly text: string;
  /** The offset in the source text; of its start, if it is copied, otherwise of the placeholder that it replaces. */
  readonly at: number;
  readonly isCopied: boolean;
  /** The parameter that this fragment is. */
  readonly use?: Use;
}

/** One use of a parameter in the SQL. */
export interface Use {
  /** The name in the endpoint file. */
  readonly name: string;
  readonly value: Value;
  /** The use counts only if the caller sends a value. */
  readonly isGuarded: boolean;
  /** In a string beside other text. */
  readonly isPartOfString: boolean;
  /** In the condition of an optional part. */
  readonly isCondition?: true;
  readonly at: number;
  readonly end: number;
}

export interface PlacedUse extends Use {
  /** Offsets in the SQL. */
  readonly outStart: number;
  readonly outEnd: number;
}

export interface Joined {
  readonly sql: string;
  readonly uses: readonly PlacedUse[];
  readonly sourceOffset: (offset: number) => number;
}

export function textOf(fragments: readonly Fragment[]): string {
  return fragments.map(({ text }) => text).join('');
}

/** The SQL of the fragments, and where its parts come from. */
export function join(fragments: readonly Fragment[]): Joined {
  const starts: number[] = [];
  const uses: PlacedUse[] = [];
  let length = 0;
  for (const { text, use } of fragments) {
    starts.push(length);
    if (use !== undefined) uses.push({ ...use, outStart: length, outEnd: length + text.length });
    length += text.length;
  }
  const sourceOffset = (offset: number): number => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    const found = fragments[low];
    if (found === undefined) return 0;
    return found.isCopied ? found.at + Math.min(offset - (starts[low] ?? 0), found.text.length) : found.at;
  };
  return { sql: textOf(fragments), uses, sourceOffset };
}
