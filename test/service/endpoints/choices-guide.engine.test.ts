// The files of docs/author/choices.md: no findings, and the rows of their examples.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { checkOnEngine } from '../../../src/cli/checks/engine/engine-check.ts';
import { NO_TABLES } from '../../../src/cli/checks/engine/tables-on-engine.ts';
import { lint } from '../../../src/cli/checks/lint.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { readAll } from '../../../src/service/engine/rows.ts';

import { REAL_TIME } from '../../support/real-time.ts';

const ROWS = `INSERT INTO shop.orders VALUES ('north', 1, '2026-03-01 10:00:00', 'NO', 'new', 100), ('north', 2, '2026-03-01 12:00:00', 'SE', 'sent', 50),
  ('north', 3, '2026-03-02 09:00:00', 'NO', 'paid', 900), ('south', 4, '2026-03-03 08:00:00', 'SE', 'new', 70)`;

let engine: Engine;
let folder: string;
let page: string;
beforeAll(async () => {
  page = await readFile(join(import.meta.dirname, '../../../docs/author/choices.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'millrace-guide-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute('CREATE DATABASE shop');
  for (const [, sql = ''] of page.matchAll(/^```sql\n([^]*?)^```$/gm)) await engine.execute(sql);
  await engine.execute(ROWS);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

test('every file works as the page says', async () => {
  const inspect = createInspect({ piiHashKey: undefined });
  const files = [...page.matchAll(/^```yaml\n(id: [^]*?)^```$/gm)].map(([, text = '']) => text);
  expect(files.length).toBe(4);
  for (const [index, text] of files.entries()) {
    const { inspected, diagnostics } = inspect(`guide-${index}.yaml`, text);
    expect(diagnostics).toEqual([]);
    if (inspected === undefined) throw new Error('no findings, but no file');
    expect(await checkOnEngine(engine, inspected, NO_TABLES)).toEqual([]);
    expect(lint(inspected.analysis)).toEqual([]);
    const { endpoint } = inspected.candidate;
    for (const { name, parameters = {}, expect: expected } of inspected.analysis.file.examples ?? []) {
      const sent = new Map(Object.entries(parameters).map(([key, value]) => [key, [value]]));
      const bindings = endpoint.binder.bind(sent, Date.now());
      const { statement, limits, int64 } = endpoint.variantOf(bindings);
      const { chunks } = await engine.run(
        { sql: statement, parameters: bindings.values, limits, origin: 'saved', int64 },
        {
          format: 'JSONEachRow',
          signal: new AbortController().signal,
          isPatient: false,
          lane: 'guide',
          comment: '',
        },
      );
      const lines = Buffer.from(await readAll(chunks))
        .toString()
        .trim()
        .split('\n');
      const rows = lines.map((line): unknown => JSON.parse(line));
      expect({ name, rows }).toEqual({ name, rows: expected?.result });
    }
  }
});
