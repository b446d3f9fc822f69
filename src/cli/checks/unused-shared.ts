// Warnings about shared files, tables and parameters that no endpoint of a folder uses.
import { parseYaml } from '../../service/config/yaml-document.ts';
import type { SharedFile } from '../../service/config/generated/shared.ts';
import type { Codes, Finding } from '../../sql/base/finding.ts';
import type { EndpointHead } from '../../service/endpoints/endpoint.ts';
import type { LoadedFiles } from '../../service/endpoints/load.ts';
import { isSharedFile, type SourceFile } from '../../service/endpoints/include/sources.ts';

export const UNUSED_CODES: Codes = {
  'lint.shared_unused': {
    title: 'A shared file, table or parameter that nothing uses',
    help: 'No endpoint of the folder includes it. Reported if whole folders are validated.',
  },
};

export function findUnusedShared(files: LoadedFiles<EndpointHead>): readonly Finding[] {
  const findings: Finding[] = [];
  for (const path of [...files.keys()].filter(isSharedFile)) {
    const all = [...files.values()].filter(({ dependencies }) =>
      dependencies.some((each) => each.path === path),
    );
    const source = all[0]?.dependencies.find((each) => each.path === path);
    const users = all.flatMap(({ candidate }) => candidate?.endpoint ?? []);
    if (all.length === 0 && (files.get(path)?.rollups ?? []).length === 0)
      findings.push(unused(path, { line: 1, column: 1 }, 'no endpoint includes this file'));
    else if (source !== undefined) findings.push(...unusedParts(source, users));
  }
  return findings;
}

function unusedParts({ path, text = '' }: SourceFile, users: readonly EndpointHead[]): readonly Finding[] {
  const parsed = parseYaml(path, text);
  if (!('document' in parsed)) return [];
  const { document } = parsed;
  const { tables = {}, parameters = {} } = document.value as SharedFile; // the files that include it have no errors
  const elements = new Set(users.flatMap(({ outline }) => outline.elements.map(({ name }) => name)));
  const declared = new Set(users.flatMap(({ parameters }) => Object.keys(parameters)));
  const texts = Object.values(tables).join('\n');
  const isUsed = (name: string): boolean =>
    declared.has(name) || new RegExp(String.raw`@${name}\b`).test(texts);
  return [
    ...Object.keys(tables)
      .filter((name) => !elements.has(name))
      .map((name) =>
        unused(path, document.locateKey(['tables', name]), `no endpoint includes the table ${name}`),
      ),
    ...Object.keys(parameters)
      .filter((name) => !isUsed(name))
      .map((name) =>
        unused(path, document.locateKey(['parameters', name]), `nothing uses the parameter ${name}`),
      ),
  ];
}

function unused(file: string, { line, column }: Pick<Finding, 'line' | 'column'>, message: string): Finding {
  return {
    file,
    line,
    column,
    severity: 'warning',
    code: 'lint.shared_unused',
    message,
    hint: 'Remove it, or include it',
  };
}
