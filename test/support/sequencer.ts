// The order of a run. A worker process goes on with the next file only if it is of the same project, so files of a project
// follow each other. In each, files of all kinds alternate, and those that mostly wait are spread over the run, so that they run
// beside files that compute; the many short ones come last, so that no core waits for a long one at the end.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { NEEDS, needOf, type Need } from './projects.ts';

type Group = Need | 'waiting';

/** The groups of longer files; files that only need an engine are as short as those that need nothing. */
const GROUPS: readonly Group[] = [...NEEDS.filter((need) => need !== 'engine'), 'waiting'];

/** These files mostly wait: for processes, connections and time-outs. */
const WAITING =
  /^test\/(?:service\/(?:limits\/|cache\/(?:replicas|until-data)\.|engine\/(?:engine-process|hosts|http-engine)\.|app\/(?:engine-faults|live|typed-live|until-data)\.|fronts\/mcp\/(?:conformance|stdio)\.)|cli\/commands\/(?:continuous-integration|query-live|serve)\.|explorer\/(?:care|editor|logs)\.|packaging\/alerts\.)/;

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
      return [...mixed(GROUPS.map(ofGroup)), ...ofGroup('engine'), ...ofGroup('unit')];
    });
  }
}

function groupOf({ moduleId, project }: TestSpecification): Group {
  const file = relative(project.config.root, moduleId);
  return WAITING.test(file) ? 'waiting' : needOf(file);
}

/** The items of all lists, those of each at equal distances; each begins at another time, since the first ones are the longest. */
function mixed<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const placed = lists.flatMap((list, begin) =>
    list.map((item, index) => ({ item, place: ((index + 0.5) / list.length + begin / lists.length) % 1 })),
  );
  return placed.toSorted((a, b) => a.place - b.place).map(({ item }) => item);
}
