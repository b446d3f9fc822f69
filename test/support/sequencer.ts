// The order of a run. A worker process goes on with the next file only if it is of the same project, so files of a project
// follow each other; those that take long come first, so that no core waits for one of them at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ORDER = ['long', 'browser', 'commands', 'service', 'http', 'unit'];
/** Its files mostly wait for time-outs, so they alternate with the first of the others. */
const WAITING = 'redis';

/** A class, since vitest instantiates it. */
export class Sequencer extends BaseSequencer {
  /** Within each project, long or large files first. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- not an array's method
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ project }) => project.name === WAITING);
    const others = sorted
      .filter(({ project }) => project.name !== WAITING)
      .toSorted((a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name));
    return [
      ...waiting.flatMap((file, index) => [file, ...others.slice(index, index + 1)]),
      ...others.slice(waiting.length),
    ];
  }
}
