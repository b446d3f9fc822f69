// The order of a run. A worker process goes on with the next file only if it is of the same project, so files of a project
// follow each other. In each, files that mostly wait alternate with those that mostly compute, so that the cores are busy;
// the many short ones come last, so that no core waits for a long one at the end.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { kindOf, type Kind } from './projects.ts';

/** For browsers and for time-outs. */
const WAITING: readonly Kind[] = ['redis', 'browser'];
const COMPUTING: readonly Kind[] = ['long', 'commands', 'service'];

/** A class, since vitest instantiates it. */
export class Sequencer extends BaseSequencer {
  /** Within each kind, long or large files first. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- not an array's method
    const sorted = await super.sort(files);
    const projects = new Set(sorted.map(({ project }) => project.name));
    return [...projects].toSorted().flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name);
      const ofKinds = (kinds: readonly Kind[]): readonly TestSpecification[] =>
        kinds.flatMap((kind) => own.filter((file) => kindOfFile(file) === kind));
      return [...spread(ofKinds(WAITING), ofKinds(COMPUTING)), ...ofKinds(['unit'])];
    });
  }
}

function kindOfFile({ moduleId, project }: TestSpecification): Kind {
  return kindOf(relative(project.config.root, moduleId));
}

/** The items of `some` at equal distances among the first half of `others`. */
function spread<Item>(some: readonly Item[], others: readonly Item[]): readonly Item[] {
  const distance = Math.max(1, Math.floor(others.length / 2 / Math.max(1, some.length)));
  return [
    ...some.flatMap((item, index) => [item, ...others.slice(index * distance, (index + 1) * distance)]),
    ...others.slice(some.length * distance),
  ];
}
