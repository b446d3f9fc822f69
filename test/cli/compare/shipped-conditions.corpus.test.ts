// Conditions on parameters that a change of a shipped endpoint loses: each is reported.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCallsTable } from '../../../src/service/engine/calls-table.ts';
import { someOfEach } from '../../support/runs.ts';
import { changesBetween, openComparer, sideOf } from './fixture.ts';

type Files = Readonly<Record<string, string>>;

const FOLDER = join(import.meta.dirname, '../../../endpoints');
/** Without examples, and the view, which names parameters that the query may lose. */
const SHIPPED = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    return [name, text.replace(/^examples:[^]*/m, '').replace(/^view:\n(?: .*\n)+/m, '')] as const;
  });
/** Each endpoint with the shared files, so that a change of these is one of the endpoint. */
const SHARED = SHIPPED.filter(([name]) => name.includes('.shared.'));
const FOLDERS = SHIPPED.filter((file) => !SHARED.includes(file)).map((file) => {
  const includes = file[1].includes('include:');
  return Object.fromEntries([file, ...(includes ? SHARED : [])]);
});

interface Loss {
  readonly files: Files;
  /** Of the file that loses the condition. */
  readonly name: string;
  readonly condition: string;
  readonly after: string;
}

/** One condition with a parameter is lost. */
const LOSSES: readonly Loss[] = FOLDERS.flatMap((files) => {
  const key = keyOf(files);
  const losses = Object.entries(files).flatMap(([name, text]) =>
    [...text.matchAll(/(WHERE|AND) (?:\([^()]*@\w+[^()]*\)|\S+ = @\w+)/g)].map(({ index, 0: condition }) => {
      const kept = condition.startsWith('WHERE') ? 'WHERE 1' : '';
      const after = text.slice(0, index) + kept + text.slice(index + condition.length);
      return { files, name, condition, after };
    }),
  );
  // Those of shared tables that this endpoint does not include are no change of it.
  return losses.filter(
    ({ name, after }) => !name.includes('.shared.') || keyOf({ ...files, [name]: after }) !== key,
  );
});

function keyOf(files: Files): string | undefined {
  return sideOf(files).served[0]?.query.key;
}

const endpointOf = ({ files }: Loss): string => Object.keys(files)[0] ?? '';

test('removing a parameter condition from a shipped endpoint is always reported', async () => {
  expect(LOSSES.length).toBeGreaterThan(20);
  const seeds = join(import.meta.dirname, '../../../seeds/01_tables.sql');
  const shipped = await openComparer(readFileSync(seeds, 'utf8'), createCallsTable);
  for (const { files, name, condition, after } of someOfEach(
    LOSSES,
    (loss) => `${endpointOf(loss)} ${loss.name}`,
    { each: 8 },
  )) {
    const [parameter = ''] = /@\w+/.exec(condition) ?? [];
    if (after.includes(parameter))
      expect(await shipped.changesBetween(files, { ...files, [name]: after })).toContainEqual(
        expect.objectContaining({ class: 'security', code: expect.stringMatching(/^tenant\./) }),
      );
    else expect(() => changesBetween(files[name] ?? '', after)).toThrow('parameter.unused'); // no such file is served
  }
  await shipped.close();
});
