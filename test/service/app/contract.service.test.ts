// The HTTP contract of docs/reference/http.md, sentence by sentence, over a running service and with third-party clients.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANSWERS, FOLLOWED } from './contract/responses.ts';
import { CALLING, PARAMETERS } from './contract/calling.ts';
import { FORMATTED } from './contract/formats.ts';
import { REJECTIONS, ROUTES } from './contract/rejections.ts';
import { openWorld, type World } from './contract/world.ts';

const page = readFileSync(new URL('../../../docs/reference/http.md', import.meta.url), 'utf8');
const promised = page.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
const checks = { ...CALLING, ...PARAMETERS, ...ANSWERS, ...FOLLOWED, ...FORMATTED, ...REJECTIONS, ...ROUTES };

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.service.stop();
  await world.gate.close();
});

test('every sentence has a test, and every test a sentence', () => {
  expect(Object.keys(checks)).toEqual(promised);
});

describe('the contract', () => {
  test.each(Object.entries(checks))('%s', async (_sentence, check) => {
    expect.hasAssertions();
    await check(world);
  });
});
