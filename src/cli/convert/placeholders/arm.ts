// An alternative of a template, rendered, and where the alternatives are written.
import { negated, simplified } from './conditions.ts';
import type { Condition } from './nodes.ts';
import type { Rendering, Sink, Span } from './rendering.ts';
import type { Outline } from './sql-outline.ts';

export interface RenderedArm {
  readonly when: Condition;
  readonly sink: Sink;
  readonly outline: Outline;
}

export interface Writer {
  readonly span: Span;
  readonly sink: Sink;
  readonly rendering: Rendering;
  /** The alternatives are whole queries. */
  readonly isQuery?: true | undefined;
  /** If it is true, alternatives whose values are dates in one and times in another become values of one type, with a note. */
  readonly mixesTimes?: boolean | undefined;
}

/** Each alternative with the whole condition under which it is used, which excludes those before it. */
export function exclusive<T extends { readonly when: Condition }>(arms: readonly T[]): readonly T[] {
  const passed: Condition[] = [];
  return arms.map((arm) => {
    const when = simplified({ kind: 'all', of: [...passed, arm.when] });
    passed.push(negated(arm.when));
    return { ...arm, when };
  });
}

/** The SQL at the end of what is written, of bounded length; if there is more, it begins with a character of no token. */
export function textBefore({ fragments }: Sink, length: number): string {
  let before = '';
  for (let at = fragments.length - 1; at >= 0 && before.length <= length; at--)
    before = (fragments[at]?.text ?? '') + before;
  return before.length > length ? `\u0000${before.slice(-length)}` : before;
}

/** Removes this many characters from the end, which use no parameters. */
export function cutEnd({ fragments }: Sink, length: number): void {
  let left = length;
  for (let last = fragments.pop(); last !== undefined; last = fragments.pop()) {
    if (last.text.length > left) {
      fragments.push({ ...last, text: last.text.slice(0, last.text.length - left) });
      return;
    }
    left -= last.text.length;
    if (left === 0) return;
  }
}
