// Which examples are run.
import { type Endpoint, referenceOf } from '../../../service/endpoints/endpoint.ts';
import { compileGlobs } from '../../../service/auth/globs.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { FilesReading } from './endpoint-files.ts';
import type { Case } from './call-example.ts';
import type { TestOptions } from './staged.ts';

/** The examples of the selected endpoints, in the order of files. */
export function chosenCases(
  { files, findings }: Pick<FilesReading, 'files' | 'findings'>,
  { names, part = '' }: Pick<TestOptions, 'names' | 'part'>,
): readonly Case[] {
  const known = files.flatMap(({ candidate }) => namesOf(candidate.endpoint));
  const unknown = names.find((name) => !known.some(compileGlobs([name])));
  if (unknown !== undefined && findings.length === 0) throw noEndpoint(unknown, known); // otherwise the findings may explain why it is missing
  const isNamed = names.length === 0 ? () => true : compileGlobs(names);
  return files
    .filter(({ candidate }) => namesOf(candidate.endpoint).some(isNamed))
    .flatMap((file) =>
      (file.analysis.file.examples ?? []).map((example, index) => ({ file, index, example })),
    )
    .filter(({ example }) => example.name.toLowerCase().includes(part.toLowerCase()));
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
