// The order of a run. Files that mostly wait (for browsers, Redis) and files that mostly compute alternate, so that
// both are running at any time; the many short ones come last, so that no core waits for one long file at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const WAITING: ReadonlySet<string> = new Set(['browser', 'redis']);
const COMPUTING: ReadonlySet<string> = new Set(['commands', 'long']);

/** A class, since vitest instantiates it. */
export class Sequencer extends BaseSequencer {
  /** Within each of the three, long or large files first. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- not an array's method
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ project }) => WAITING.has(project.name));
    const computing = sorted
      .filter(({ project }) => COMPUTING.has(project.name))
      .toSorted((a, b) => b.project.name.localeCompare(a.project.name)); // `long` before `commands`
    const short = sorted.filter(({ project }) => !WAITING.has(project.name) && !COMPUTING.has(project.name));
    return [...alternating(waiting, computing), ...short];
  }
}

function alternating<Item>(one: readonly Item[], other: readonly Item[]): Item[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, index) => [
    ...one.slice(index, index + 1),
    ...other.slice(index, index + 1),
  ]).flat();
}
