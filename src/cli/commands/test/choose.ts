// Which examples are run.
import { type Endpoint, referenceOf } from '../../../service/endpoints/endpoint.ts';
import { compileGlobs } from '../../../service/auth/globs.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { FilesReading } from './endpoint-files.ts';
import type { Case } from './call-example.ts';
import { watchCasesOf, type WatchCase } from './watch-run.ts';
import type { TestOptions } from './staged.ts';

export interface ChosenCases {
  readonly cases: readonly Case[];
  readonly watches: readonly WatchCase[];
}

/** The examples and the tests of watches of the selected endpoints, in the order of files. */
export function chosenCases(
  { files, findings }: Pick<FilesReading, 'files' | 'findings'>,
  { names, part = '' }: Pick<TestOptions, 'names' | 'part'>,
): ChosenCases {
  const known = files.flatMap(({ candidate }) => namesOf(candidate.endpoint));
  const unknown = names.find((name) => !known.some(compileGlobs([name])));
  if (unknown !== undefined && findings.length === 0) throw noEndpoint(unknown, known); // otherwise the findings may explain why it is missing
  const isNamed = names.length === 0 ? () => true : compileGlobs(names);
  const chosen = files.filter(({ candidate }) => namesOf(candidate.endpoint).some(isNamed));
  const hasPart = ({ name }: { readonly name: string }): boolean =>
    name.toLowerCase().includes(part.toLowerCase());
  return {
    cases: chosen
      .flatMap((file) =>
        (file.analysis.file.examples ?? []).map((example, index) => ({ file, index, example })),
      )
      .filter(({ example }) => hasPart(example)),
    watches: chosen.flatMap(watchCasesOf).filter(({ test }) => hasPart(test)),
  };
}

/** Its name alone means all versions. */
function namesOf(endpoint: Endpoint): readonly string[] {
  return [...new Set([endpoint.name, referenceOf(endpoint)])];
}

function noEndpoint(name: string, known: readonly string[]): CommandError {
  return new CommandError(withSuggestion(`There is no endpoint "${name}"`, nearest(name, known)), {
    exitCode: 2,
  });
}
