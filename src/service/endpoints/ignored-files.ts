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
  'file.other_folder': {
    title: 'A file that is not read in its folder',
    help: 'Rows for tests and the SQL that prepares them are read in the folder of fixtures, definitions of tables in that of the schema. In the folder of fixtures, database.table.ndjson, database.table.csv and *.sql are read, and no subfolders.',
  },
};

/** Its name is that of the table, with the database. */
export const FIXTURE_ROWS = /^([A-Za-z_]\w*\.[A-Za-z_]\w*)\.(ndjson|csv)$/;

/** Files that are read in other folders, or that are another form of what is. */
const DATA = /\.(?:sql|ddl|csv|tsv|json|jsonl|ndjson|parquet|gz|zst|ya?ml)$/i;

/** Ignores hidden files. */
export function isEndpointFile(name: string): boolean {
  return /^[^.].*\.ya?ml$/.test(name);
}

/** The folder of fixtures, in that of the endpoints. */
const FIXTURES = 'fixtures';

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
    } else if (entry.isDirectory() && entry.name === FIXTURES) {
      findings.push(...(await ignoredFixtures(path)));
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
    } else if (!isEndpointFile(entry.name) && DATA.test(entry.name)) {
      findings.push(warning(path, 'file.other_folder', 'the file is not read here', OTHER_FOLDER));
    }
  }
  return findings;
}

const OTHER_FOLDER =
  'Endpoint files are YAML. Move rows for tests, named database.table.ndjson or .csv, and the SQL that prepares them to the folder fixtures in this one, and definitions of tables to schema';

/** Rows of a table, or statements. */
function isFixture(name: string): boolean {
  return FIXTURE_ROWS.test(name) || name.endsWith('.sql');
}

/** Finds what is not read in the folder of fixtures. */
async function ignoredFixtures(folder: string): Promise<readonly Finding[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(() => [])).slice(0, MOST);
  const ignored = entries.filter(({ name }) => !name.startsWith('.') && !isFixture(name));
  return ignored.flatMap((entry): readonly Finding[] => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return [
        warning(
          path,
          'file.other_folder',
          'subfolders of fixtures are not read',
          `Move its files to ${folder}`,
        ),
      ];
    if (!DATA.test(entry.name)) return [];
    const hint =
      'Rows are read from database.table.ndjson and database.table.csv, statements from *.sql; rows in YAML are the key fixtures of an endpoint file';
    return [
      warning(path, 'file.other_folder', 'the name is not that of a fixture: the file is not read', hint),
    ];
  });
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
