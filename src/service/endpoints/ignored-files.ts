// Finds files in a folder of endpoint files that look like endpoints but are not served.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Codes, Finding } from '../../sql/base/finding.ts';

export const IGNORED_CODES: Codes = {
  'file.dangling_link': {
    title: 'A link without a target',
    help: 'The file that it points to does not exist, so no endpoint is served for it.',
  },
  'file.in_subfolder': {
    title: 'An endpoint file in a subfolder',
    help: 'Endpoint files are read directly in the folder only. Group endpoints by the parts of their names: team.sales in team.sales.yaml.',
  },
  'file.extension': {
    title: 'An endpoint file with another extension',
    help: 'Only files whose names end with .yaml or .yml, in lower case, are endpoint files.',
  },
};

/** Ignores hidden files. */
export function isEndpointFile(name: string): boolean {
  return /^[^.].*\.ya?ml$/.test(name);
}

/** Entries looked at in each subfolder, and findings for each folder. */
const MOST = 1000;
const MAX_FINDINGS = 20;

/** Warnings, by path. Hidden files and folders are ignored. Rejects if the folder cannot be read. */
export async function findIgnored(folder: string): Promise<readonly Finding[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    ({ name }) => !name.startsWith('.'),
  );
  const findings: Finding[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (findings.length >= MAX_FINDINGS) break;
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink() && isEndpointFile(entry.name) && !(await isThere(path))) {
      findings.push(
        warning(path, 'file.dangling_link', 'the link points to nothing', 'Correct or remove it'),
      );
    } else if (entry.isDirectory()) {
      const inside = (await readdir(path).catch(() => [])).slice(0, MOST).find(isEndpointFile);
      if (inside === undefined) continue;
      const hint = `Move it to ${folder}: the name of the endpoint, not its folder, has the parts between dots`;
      findings.push(
        warning(join(path, inside), 'file.in_subfolder', 'files in subfolders are not served', hint),
      );
    } else if (!isEndpointFile(entry.name) && /\.ya?ml$/i.test(entry.name)) {
      const hint = `Rename it to ${entry.name.replace(/\.ya?ml$/i, (extension) => extension.toLowerCase())}`;
      findings.push(warning(path, 'file.extension', 'only .yaml and .yml in lower case are served', hint));
    }
  }
  return findings;
}

function warning(file: string, code: string, message: string, hint: string): Finding {
  return { file, line: 0, column: 0, severity: 'warning', code, message, hint };
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
