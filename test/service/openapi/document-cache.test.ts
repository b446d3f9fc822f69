// Which callers share a generated document, and how many documents are cached.
import { expect, test } from 'vitest';
import { createPrincipal, type Grant } from '../../../src/service/auth/principal.ts';
import { assembleCatalog } from '../../../src/service/endpoints/catalog.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createOpenapi } from '../../../src/service/fronts/openapi/document-cache.ts';

const compile = createCompile({ piiHashKey: undefined });
const catalogOf = (names: readonly string[]) =>
  assembleCatalog(
    names.map((name, index) => {
      const id = `00000000-0000-4000-8000-00000000000${index}`;
      const text = `id: ${id}\nname: ${name}\nquery: SELECT @project AS project\nparameters: { project: { type: String } }\n`;
      const { candidate, diagnostics } = compile(`${name}.yaml`, text);
      if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
      return candidate;
    }),
  ).catalog;

/** The documents of two endpoints; `described` counts how often a document was generated. */
function open(keptLength?: number) {
  const state = { catalog: catalogOf(['a', 'b']), described: 0, isDown: false };
  const openapi = createOpenapi({
    catalog: () => state.catalog,
    describe: {
      result: async ({ name }) => {
        if (name === 'a') state.described++;
        return state.isDown ? undefined : [{ name: 'project', type: 'String' }];
      },
    },
    headerPrefix: 'X',
    version: '1.0.0',
    server: '/',
    contact: undefined,
    ...(keptLength === undefined ? {} : { keptLength }),
  });
  let principals = 0;
  /** Of a principal that no call before had, as each token of an issuer has one. */
  const ask = (grant: Partial<Grant> = {}): Promise<string> =>
    openapi(createPrincipal(`jwt:i:${principals++}`, 'user', { endpoints: ['*'], allow: ['sql'], ...grant }));
  return { state, ask };
}

test('callers with the same access share a document', async () => {
  const { state, ask } = open();
  const texts = await Promise.all([ask(), ask(), ask({ endpoints: ['a', 'b'] })]);
  expect(new Set([...texts, await ask()]).size).toBe(1);
  expect(state.described).toBe(1);
});

test.each<{ why: string; grant: Partial<Grant> }>([
  { why: 'endpoints', grant: { endpoints: ['a'] } },
  { why: 'languages', grant: { allow: [] } },
  { why: 'locks', grant: { parameters: { project: 'abc' } } },
  { why: 'redaction', grant: { pii: 'redact' } },
  { why: 'the shape of rows', grant: { result_shape: 'bigquery' } },
])('callers with other $why have another one', async ({ grant }) => {
  const { state, ask } = open();
  await ask({ parameters: { project: 'xyz' } });
  await ask();
  await ask(grant);
  expect(state.described).toBe(3);
  await ask(grant);
  expect(state.described).toBe(3);
});

test('the documents of any number of users are bounded', async () => {
  const [{ ask: askFirst }, length] = [open(), 3];
  const text = await askFirst({ parameters: { project: 'user-0' } });
  const { state, ask } = open(text.length * length);
  const user = (n: number): Promise<string> => ask({ parameters: { project: `user-${n}` } });
  for (const n of [0, 1, 2, 3, 0]) await user(n);
  expect(state.described).toBe(5); // the first was the oldest
  for (const n of [0, 3, 2]) await user(n);
  expect(state.described).toBe(5);
});

test('changed endpoints, and endpoints that the engine could not describe, are described again', async () => {
  const { state, ask } = open();
  state.isDown = true;
  expect(JSON.parse(await ask())).toMatchObject({ paths: { '/api/endpoints/query/a': {} } });
  state.isDown = false;
  const text = await ask();
  expect([state.described, await ask()]).toEqual([2, text]);
  state.catalog = catalogOf(['a']);
  expect(Object.keys((JSON.parse(await ask()) as { paths: object }).paths)).not.toContain(
    '/api/endpoints/query/b',
  );
  expect(state.described).toBe(3);
});
