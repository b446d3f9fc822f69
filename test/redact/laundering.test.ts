// No consumer query can get around redaction: responses are equal when all personal data is exchanged for other data.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { composed } from './laundering/composed.ts';
import { shown, TEXTS, type Text } from './laundering/texts.ts';
import { DEMANDS, openWorld, secretsIn, type Demand, type Seen, type World } from './laundering/world.ts';

const AT_ONCE = 4;
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

interface Judged {
  readonly text: Text;
  readonly demand: Demand;
  readonly a: Seen;
  readonly b: Seen;
  /** Values, or images of them, in the responses. */
  readonly secrets: readonly string[];
}

async function judge(
  texts: readonly Text[],
  demandOf: (index: number) => Demand,
): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  const rest = texts.entries();
  const work = async (): Promise<void> => {
    for (const [index, text] of rest) {
      const demand = demandOf(index);
      const [a, b] = await world.both(demand, text.fields);
      // What differs has failed anyway.
      const secrets = a.body === b.body ? secretsIn(a.body, shown(text)) : [];
      judged.push({ text, demand, a, b, secrets });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return judged;
}

const isEqual = ({ a, b }: Judged): boolean => JSON.stringify(a) === JSON.stringify(b);
const described = ({ text, demand, a, b, secrets }: Judged): string =>
  `${text.category} (${demand}): ${shown(text)}: ${a.status} ${a.body.slice(0, 300)} / ${b.status} ${b.body.slice(0, 300)} ${secrets.join(' ')}`;

test(`${TEXTS.length} texts that would tell the versions apart do not`, { timeout: 600_000 }, async () => {
  const judged = await judge(TEXTS, (index) => DEMANDS[index % DEMANDS.length] ?? 'file');
  expect(judged.filter((each) => !isEqual(each) || each.secrets.length > 0).map(described)).toEqual([]);
});

test('without redaction each of them does', { timeout: 600_000 }, async () => {
  const judged = await judge(
    TEXTS.filter(({ tells }) => tells),
    () => 'nobody',
  );
  expect(judged.filter(isEqual).map(described)).toEqual([]);
});

const CASES = Number(process.env['FUZZ_CASES'] ?? 5000) / 20;
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

test(`neither do ${CASES} compositions of functions`, { timeout: 7_200_000 }, async () => {
  const judged = await judge(composed(CASES, SEED), (index) => DEMANDS[index % DEMANDS.length] ?? 'file');
  expect(judged.filter((each) => !isEqual(each) || each.secrets.length > 0).map(described)).toEqual([]);
  // Queries that all fail would prove nothing.
  expect(judged.filter(({ a }) => a.status === 200).length).toBeGreaterThan(CASES * 0.7);
});

test('without redaction half of them would', async () => {
  const judged = await judge(composed(100, SEED), () => 'nobody');
  expect(judged.filter((each) => !isEqual(each)).length).toBeGreaterThan(50);
});
