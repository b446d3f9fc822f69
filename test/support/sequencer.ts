// The order of a run. A worker process goes on with the next file only if it is of the same project, so files of a project
// follow each other. In each, files of all kinds alternate, and those that mostly wait are spread over the run, so that they run
// beside files that compute; the many short ones come last, so that no core waits for a long one at the end.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isListed, kindOf, WAITING, type Kind } from './projects.ts';

type Group = Kind | 'waiting';

/** Of longer files. */
const GROUPS: readonly Group[] = ['long', 'browser', 'waiting', 'commands', 'redis', 'service'];

/** A class, since vitest instantiates it. */
export class Sequencer extends BaseSequencer {
  /** Within each group, long or large files first. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- not an array's method
    const sorted = await super.sort(files);
    const projects = new Set(sorted.map(({ project }) => project.name));
    return [...projects].toSorted().flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name);
      const ofGroup = (group: Group): readonly TestSpecification[] =>
        own.filter((file) => groupOf(file) === group);
      return [...mixed(GROUPS.map(ofGroup)), ...ofGroup('unit')];
    });
  }
}

function groupOf({ moduleId, project }: TestSpecification): Group {
  const file = relative(project.config.root, moduleId);
  return isListed(file, WAITING) ? 'waiting' : kindOf(file);
}

/** The items of all lists, those of each at equal distances; each begins at another time, since the first ones are the longest. */
function mixed<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const placed = lists.flatMap((list, begin) =>
    list.map((item, index) => ({ item, place: ((index + 0.5) / list.length + begin / lists.length) % 1 })),
  );
  return placed.toSorted((a, b) => a.place - b.place).map(({ item }) => item);
}
