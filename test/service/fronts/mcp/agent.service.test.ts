// Questions over the parcels of a client, answered by an agent that knows nothing but what the tools say.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRows } from '../../../../src/service/engine/rows.ts';
import { createAgent, type Agent, type Question, type SavedQuestion } from './agent/agent.ts';
import { ACME, startMcpWorld, type Connected } from './world/world.ts';

let world: Connected;
let agent: Agent;
beforeAll(async () => {
  world = await startMcpWorld();
  agent = await createAgent(await world.connect(ACME));
});
afterAll(() => world.stop());

const PARCELS = "fleet.parcels WHERE client = 'acme'";
const SCANS = "fleet.scans WHERE client = 'acme'";

/** The expected rows come from the stored tables. */
const QUESTIONS: readonly (Question & { readonly expected: string })[] = [
  { ask: 'How many parcels are there?', about: 'parcels', expected: `SELECT count() FROM ${PARCELS}` },
  { ask: 'How many got lost?', about: 'parcels', only: { state: 'lost' }, expected: `SELECT count() FROM ${PARCELS} AND state = 'lost'` },
  { ask: 'How many parcels does each depot have?', about: 'parcels', by: '{depot}', expected: `SELECT depot, count() FROM ${PARCELS} GROUP BY 1 ORDER BY 1` },
  { ask: 'What do parcels of each carrier cost?', about: 'parcels', by: '{carrier}', value: 'sum({price})', expected: `SELECT carrier, sum(price) FROM ${PARCELS} GROUP BY 1 ORDER BY 1` },
  { ask: 'Which is the heaviest parcel?', about: 'parcels', value: 'argMax({barcode}, ({weight}, {barcode}))', expected: `SELECT argMax(barcode, (weight_kg, barcode)) FROM ${PARCELS}` },
  { ask: 'How heavy is a parcel from Porto?', about: 'parcels', only: { depot: 'porto' }, value: 'max({weight})', expected: `SELECT max(weight_kg) FROM ${PARCELS} AND depot = 'Porto'` },
  { ask: 'How many are express?', about: 'parcels', only: { priority: 'express' }, expected: `SELECT count() FROM ${PARCELS} AND labels['priority'] = 'express'` },
  { ask: 'How many came by web, by carrier?', about: 'parcels', only: { channel: 'web' }, by: '{carrier}', expected: `SELECT carrier, count() FROM ${PARCELS} AND labels['channel'] = 'web' GROUP BY 1 ORDER BY 1` },
  { ask: 'How many are fragile?', about: 'parcels', only: { remark: 'fragile' }, expected: `SELECT count() FROM ${PARCELS} AND remark = 'Fragile'` },
  { ask: 'How many have not been delivered?', about: 'parcels', value: 'countIf({delivered} IS NULL)', expected: `SELECT countIf(delivered IS NULL) FROM ${PARCELS}` },
  { ask: 'How many parcels a day?', about: 'parcels', by: 'toDate({accepted})', expected: `SELECT toDate(accepted), count() FROM ${PARCELS} GROUP BY 1 ORDER BY 1` },
  { ask: 'When was the last one accepted?', about: 'parcels', value: 'toUnixTimestamp(max({accepted}))', expected: `SELECT toUnixTimestamp(max(accepted)) FROM ${PARCELS}` },
  { ask: 'How many errors in scans?', about: 'scans', only: { level: 'error' }, expected: `SELECT count() FROM ${SCANS} AND level = 'error'` },
  { ask: 'What do the warnings say?', about: 'scans', only: { level: 'warn' }, by: '{message}', expected: `SELECT message, count() FROM ${SCANS} AND level = 'warning' GROUP BY 1 ORDER BY 1` },
  { ask: 'How many scans by each device?', about: 'scans of devices', by: '{id}::String', expected: `SELECT detail.device.id::String, count() FROM ${SCANS} GROUP BY 1 ORDER BY 1` },
  { ask: 'How full is the battery of device d3?', about: 'scans', only: { id: 'd3' }, value: 'max({battery}::UInt8)', expected: `SELECT max(detail.device.battery::UInt8) FROM ${SCANS} AND detail.device.id = 'd3'` },
  { ask: 'Misspelled: parcels by depot', about: 'parcels', by: '{depot}', misspelled: ['depot', 'deppot'], expected: `SELECT depot, count() FROM ${PARCELS} GROUP BY 1 ORDER BY 1` },
  { ask: 'Misspelled: prices', about: 'parcels', value: 'max({price})', misspelled: ['price', 'prize'], expected: `SELECT max(price) FROM ${PARCELS}` },
  { ask: 'A function of another system', about: 'parcels', value: 'countt({barcode})', expected: `SELECT count(barcode) FROM ${PARCELS}` },
  { ask: 'In the dialect of BigQuery', about: 'parcels', dialect: 'bigquery', value: 'COUNTIF({state} = "lost")', expected: `SELECT countIf(state = 'lost') FROM ${PARCELS}` },
]; // prettier-ignore

const SAVED: readonly (SavedQuestion & { readonly expected: string })[] = [
  {
    ask: 'Revenue by depot in the second week of March',
    about: 'parcels counted by depot with sum of prices in a period',
    given: { 'accepted at this time or later': '2024-03-08T00:00:00Z', 'accepted before': '2024-03-15T00:00:00Z' },
    expected: `SELECT depot, count(), sum(price) FROM ${PARCELS} AND accepted >= '2024-03-08' AND accepted < '2024-03-15' GROUP BY 1 ORDER BY 1`,
  },
  {
    ask: 'The two parcels that were lost last',
    about: 'parcels in one state, newest first',
    given: { 'state of the parcels': 'lost', 'at most this many': '2' },
    expected: `SELECT barcode FROM ${PARCELS} AND state = 'lost' ORDER BY accepted DESC LIMIT 2`,
  },
]; // prettier-ignore

const stored = async (sql: string): Promise<readonly (readonly unknown[])[]> =>
  (await readRows(world.engine, sql)) as readonly (readonly unknown[])[]; // each row is an array of its values
/** As the text of an answer has them, whose decimals have no trailing zeros. */
const cells = (rows: readonly (readonly unknown[])[]): readonly (readonly string[])[] =>
  rows.map((row) => row.map((cell) => (typeof cell === 'number' ? String(cell) : String(cell).replace(/^(-?\d+\.\d*?)0+$/, '$1').replace(/\.$/, '')))); // prettier-ignore

test.each(QUESTIONS)('$ask', async (question) => {
  const expected = await stored(question.expected);
  expect(await agent.answer(question)).toEqual(cells(expected));
});

test.each(SAVED)('$ask', async (question) => {
  const expected = await stored(question.expected);
  const [first = []] = expected;
  expect((await agent.answer(question)).map((row) => row.slice(0, first.length))).toEqual(cells(expected));
});

test('a question takes four calls: the tables, one table, the check, the query', async () => {
  const before = agent.called.length;
  await agent.answer({ ask: 'How many?', about: 'parcels' });
  expect(agent.called.slice(before)).toEqual(['describe_tables', 'describe_tables', 'explain', 'query']);
});
