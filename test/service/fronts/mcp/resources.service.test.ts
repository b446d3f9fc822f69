// Resources, prompts and completions: for the view of each key, over endpoints that are not shipped.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { complete } from '../../../../src/service/fronts/mcp/completions.ts';
import { createPrompts, type Prompts } from '../../../../src/service/fronts/mcp/prompts.ts';
import { createResources, type Resources } from '../../../../src/service/fronts/mcp/resources.ts';
import { openQueryWorld, SHOP_FILES, type KeyName, type QueryWorld } from './query-world.ts';

let world: QueryWorld;
let resources: Resources;
let prompts: Prompts;
beforeAll(async () => {
  world = await openQueryWorld();
  resources = createResources(world.core);
  prompts = createPrompts(world.core);
});
afterAll(() => world.close());

const ENDPOINT = 'millrace://endpoints/shop.redacted';

describe('resources', () => {
  test.each([
    ['all', ['sql', 'lql'], ['closed', 'events', 'grouped', 'redacted', 'searched']],
    ['events', ['sql', 'lql'], ['events']],
    ['saved', [], ['closed', 'events', 'grouped', 'redacted', 'searched']],
  ] as const)('the key %s lists its guides and endpoints', (key, guides, endpoints) => {
    const listed = resources.list(world.caller(key)).map(({ uri }) => uri);
    expect(listed).toEqual([
      ...guides.map((name) => `millrace://guides/${name}`),
      ...endpoints.map((name) => `millrace://endpoints/shop.${name}`),
    ]);
  });

  test('what is listed can be read, with its URI and type', async () => {
    const caller = world.caller('a');
    for (const { uri, mimeType } of resources.list(caller)) {
      const read = await resources.read(caller, uri);
      expect(read).toMatchObject({ uri, mimeType });
      expect(read?.text).toMatch(/^# /);
    }
  });

  test('a table has the columns that the key reads', async () => {
    const read = await resources.read(world.caller('a'), `${ENDPOINT}/tables/events`);
    expect(read?.text).toContain('- doc: JSON\n  - doc.level: String');
    expect(read?.text).not.toContain('secret');
  });

  test.each([
    ['events', ENDPOINT, 'outside of the scope'],
    ['events', 'millrace://endpoints/shop.none', 'none'],
    ['a', 'millrace://endpoints/shop.hidden', 'kept from agents'],
    ['a', `${ENDPOINT}/tables/none`, 'no such table'],
    ['saved', `${ENDPOINT}/tables/events`, 'a key without queries'],
    ['saved', 'millrace://guides/sql', 'a key without queries'],
    ['a', 'millrace://guides/none', 'no such guide'],
    ['a', 'millrace://endpoints/%', 'not percent-encoded'],
    ['a', 'millrace://endpoints/%E0%A4%A', 'not UTF-8'],
    ['a', 'file:///etc/passwd', 'another scheme'],
    ['a', '', 'empty'],
    ['a', `millrace://endpoints/${'a'.repeat(1000)}`, 'long'],
  ] as const)('the key %s cannot read %s: %s', async (key, uri, _why) => {
    expect(await resources.read(world.caller(key), uri)).toBeUndefined();
  });

  test('templates', () => {
    const templates = (key: KeyName) => resources.templates(world.caller(key)).map(({ name }) => name);
    expect(templates('a')).toEqual(['endpoint', 'table']);
    expect(templates('saved')).toEqual(['endpoint']);
  });

  test('nothing about queries while the sandbox is switched off', async () => {
    world.core.sandboxes.switch('a test');
    expect(await resources.read(world.caller('a'), 'millrace://guides/sql')).toBeUndefined();
    expect(await resources.read(world.caller('a'), `${ENDPOINT}/tables/events`)).toBeUndefined();
    expect(await prompts.list(world.caller('a'))).toEqual([]);
    world.core.sandboxes.switch(undefined);
  });
});

describe('prompts', () => {
  const get = async (key: KeyName, name: string, args: Readonly<Record<string, string>> = {}) => {
    const content = (await prompts.get(world.caller(key), name, args))?.messages[0]?.content;
    return content?.type === 'text' ? content.text : undefined;
  };

  test('for keys with queries over tables with times', async () => {
    const names = async (key: KeyName) => (await prompts.list(world.caller(key))).map(({ name }) => name);
    expect(await names('a')).toEqual(['investigate_errors', 'compare_periods']);
    expect(await names('saved')).toEqual([]);
    expect(await get('saved', 'investigate_errors')).toBeUndefined();
    expect(await get('a', 'none')).toBeUndefined();
  });

  test('name the endpoint, its tables and times, and the parameters to send', async () => {
    const text = await get('all', 'investigate_errors', { endpoint: 'shop.redacted', period: 'today' });
    expect(text).toContain('Endpoint: shop.redacted.');
    expect(text).toContain('Tables with times: events (at), purchases (at).');
    expect(text).toContain('Required parameters: tenant.');
    expect(text).toContain('Investigate the errors of this period: today.');
    expect(await get('a', 'compare_periods', { first: 'yesterday' })).not.toContain('Required parameters');
  });

  test.each([
    [{ endpoint: 'shop.none' }, 'route.endpoint_unknown'],
    [{ period: 'x'.repeat(1000) }, 'request.parameters_invalid'],
    [{ tenant: 'b' }, 'request.parameters_invalid'],
  ])('%j', async (args, code) => {
    await expect(get('a', 'investigate_errors', args as Record<string, string>)).rejects.toMatchObject({
      code,
    });
  });

  test('none if no table has a time', async () => {
    const files = {
      only: `${SHOP_FILES['closed']}`.replace(
        'query: SELECT 1 AS n',
        'query: WITH t AS (SELECT 1 AS n) SELECT n FROM t\nsandbox: { enabled: true }',
      ),
    };
    const other = await openQueryWorld(files, []);
    try {
      expect(await createPrompts(other.core).list(other.caller('all'))).toEqual([]);
    } finally {
      await other.close();
    }
  });
});

describe('completions', () => {
  const values = (key: KeyName, argument: { name: string; value: string }, endpoint?: string) =>
    complete(world.caller(key), {
      ref: { type: 'ref/resource', uri: 'millrace://endpoints/{endpoint}' },
      argument,
      ...(endpoint === undefined ? {} : { context: { arguments: { endpoint } } }),
    }).values;

  test.each([
    { key: 'a', name: 'endpoint', value: 'shop.e', of: undefined, expected: ['shop.events'] },
    { key: 'a', name: 'endpoint', value: 'RED', of: undefined, expected: ['shop.redacted'] },
    { key: 'events', name: 'endpoint', value: '', of: undefined, expected: ['shop.events'] },
    { key: 'a', name: 'table', value: 'p', of: 'shop.events', expected: ['purchases'] },
    { key: 'events', name: 'table', value: '', of: 'shop.redacted', expected: [] },
    { key: 'a', name: 'table', value: '', of: undefined, expected: [] },
    { key: 'a', name: 'other', value: '', of: undefined, expected: [] },
  ] as const)('$key: $name $value of $of', ({ key, name, value, of, expected }) => {
    expect(values(key, { name, value }, of)).toEqual(expected);
  });
});
