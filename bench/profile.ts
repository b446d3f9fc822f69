// CPU profiles as V8 takes them: which stacks the time went into.
// Source: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
import type { Profiler } from 'node:inspector';

/** One stack that was seen, from the outermost function on, and its microseconds. */
export interface Stack {
  readonly frames: readonly Frame[];
  readonly us: number;
}

export interface Frame {
  readonly name: string;
  /** Empty for what is V8's own, such as collecting garbage. */
  readonly url: string;
}

/** Every stack but those of waiting and of the profiler itself. */
export function stacksOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): readonly Stack[] {
  const stacks = new Map<number, Frame[]>();
  const visit = (id: number, above: readonly Frame[]): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const { functionName, url } = node.callFrame;
    const frames = functionName === '(root)' ? [] : [...above, { name: functionName || '(anonymous)', url }];
    stacks.set(id, frames);
    for (const child of node.children ?? []) visit(child, frames);
  };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  visit(nodes[0]?.id ?? 0, []);
  const us = new Map<number, number>();
  for (const [index, id] of samples.entries()) us.set(id, (us.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  return [...us].flatMap(([id, took]) => {
    const frames = stacks.get(id) ?? [];
    const isOurs = frames.at(-1)?.name !== '(idle)' && !frames.some(({ url }) => url === 'node:inspector');
    return isOurs ? [{ frames, us: took }] : [];
  });
}

/** Of all the time, the share of stacks with a function of a file that matches. */
export function shareOf(stacks: readonly Stack[], file: RegExp): number {
  const sum = (some: readonly Stack[]): number => some.reduce((total, { us }) => total + us, 0);
  return sum(stacks.filter(({ frames }) => frames.some(({ url }) => file.test(url)))) / sum(stacks);
}
