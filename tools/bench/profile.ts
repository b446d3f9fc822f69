// Reads V8 CPU profiles: the time spent in each stack.
// Source: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
import type { Profiler } from 'node:inspector';

/** One observed stack, outermost function first, and its time in microseconds. */
export interface Stack {
  readonly frames: readonly Frame[];
  readonly us: number;
}

export interface Frame {
  readonly name: string;
  /** Empty for V8's own work, such as garbage collection. */
  readonly url: string;
}

/** All stacks except idle time and the profiler itself. */
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

/** Fraction of total time in stacks that contain a function from a matching file. */
export function shareOf(stacks: readonly Stack[], file: RegExp): number {
  const sum = (some: readonly Stack[]): number => some.reduce((total, { us }) => total + us, 0);
  return sum(stacks.filter(({ frames }) => frames.some(({ url }) => file.test(url)))) / sum(stacks);
}
