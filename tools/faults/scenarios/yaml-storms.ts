// Endpoint files broken, half-written, duplicated, checked out by the thousand and renamed in cycles, under load.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { statusOf } from '../ask.ts';
import { count, inParallel, startLoad } from '../load.ts';
import { exact, inTime, onlyStatuses, type Check, type Context, type Scenario } from '../scenario.ts';
import { endpointFile, serve, type Serving } from '../serving.ts';

const FILES = { short: 150, long: 1000 };
const ROUNDS = { short: 2, long: 10 };
const LIVE_MS = 1000;
const PATIENCE_MS = 20_000;

const steady = (value: number): string => `query: SELECT ${value} AS value\n`;
const ENDPOINTS = { steady: steady(0), edited: steady(0) };
const many = (n: number, value: number): string => endpointFile(`many${n}`, steady(value), 1000 + n);

/** States that people and tools leave a file in for a while. */
const BROKEN: readonly ((text: string) => string)[] = [
  (text) => text.slice(0, text.length / 2),
  () => '',
  (text) => `${text}${text}`,
  (text) => text.replace('query:', 'qurey:'),
  (text) => `${text}\t- {`,
  (text) => text.replace(/SELECT.*/, 'SELECT @nothing AS value'),
  (text) => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> other\n`,
  () => '\u0000\u0001\ufffd\n',
  (text) => text.replace(/name: .*/, 'name: steady'),
  (text) => text.replace(/id: .*/, `id: 00000000-0000-4000-8000-${'0'.repeat(12)}`),
  () => `a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*a, *a]`).join('\n')}\n`,
];

interface Storm {
  readonly serving: Serving;
  readonly path: (name: string) => string;
  readonly isShort: boolean;
}

export const yamlStorms: Scenario = {
  name: 'yaml-storms',
  pass: 'malformed, partially written and duplicate files, a checkout of 1,000 files, bursts of renames, under load: the last good version is served, no 5xx, a valid version in service within 1 s',
  seconds: { short: 120, long: 240 },
  run: async (context) => {
    const serving = await serve(context, { endpoints: ENDPOINTS, env: { MILLRACE_LOG_LEVEL: 'silent' } });
    const storm = {
      serving,
      isShort: context.isShort,
      path: (name: string) => join(serving.site.endpoints, name),
    };
    const statuses = new Map<string, number>();
    let wrong = 0;
    const load = startLoad(context, 4, async () => {
      const answer = await serving.call('steady');
      count(statuses, statusOf(answer));
      if (answer.body.toString() !== '{"result":[{"value":0}]}') wrong++;
      const edited = await serving.call('edited');
      count(statuses, statusOf(edited));
    });
    const broken = await breakAndMend(context, storm);
    const checkout = await checkOut(context, storm);
    const renamed = await renameStorm(context, storm);
    await load.stop();
    return [
      onlyStatuses('concurrent calls', statuses, (status) => status === '200'),
      exact('responses of another than the last good version', wrong, 0),
      ...broken,
      checkout,
      renamed,
    ];
  },
};

/** One file in every broken form, then valid again. */
async function breakAndMend({ isShort, note, random }: Context, storm: Storm): Promise<readonly Check[]> {
  const times: number[] = [];
  let version = 0;
  let lost = 0;
  for (let round = 0; round < (isShort ? ROUNDS.short : ROUNDS.long); round++) {
    note(`broken files, round ${round + 1}`);
    for (const spoil of BROKEN) {
      const good = endpointFile('edited', steady(version + 1), 1);
      await writeFile(storm.path('edited.yaml'), spoil(good));
      await setTimeout(random.below(isShort ? 50 : 300));
      if ((await valueOf(storm.serving, 'edited')) !== version) lost++;
      version++;
      await writeFile(storm.path('edited.yaml'), good);
      times.push(await untilLive(storm.serving, 'edited', version));
    }
  }
  return [
    exact(`invalid versions that replaced the good one, of ${times.length}`, lost, 0),
    ...live('a valid version', times),
  ];
}

async function checkOut({ isShort, note }: Context, storm: Storm): Promise<Check> {
  const files = isShort ? FILES.short : FILES.long;
  note(`a checkout of ${files} files`);
  const writeAll = (value: number): Promise<void> =>
    inParallel(files, 16, (n) => writeFile(storm.path(`many${n}.yaml`), many(n, value)));
  await writeAll(1);
  await untilLive(storm.serving, `many${files - 1}`, 1);
  await inParallel(files, 16, (n) => writeFile(storm.path(`many${n}.yaml`), many(n, 2).slice(0, 60)));
  await writeAll(2);
  const ms = await untilLive(storm.serving, `many${files - 1}`, 2);
  return inTime(`${files} files, the last one in service after`, ms, LIVE_MS);
}

/** The ways editors and git write files, in a loop, and a folder that appears and disappears. */
async function renameStorm({ isShort, note, random }: Context, storm: Storm): Promise<Check> {
  note('renames');
  const before = (await valueOf(storm.serving, 'edited')) ?? 0;
  for (let n = 0; n < (isShort ? 100 : 1000); n++) {
    const name = random.pick(['edited.yaml', 'many1.yaml', 'many2.yaml']);
    const text =
      name === 'edited.yaml' ? endpointFile('edited', steady(before), 1) : many(Number(name[4]), 3);
    await writeFile(storm.path(`${name}.swp`), random.pick(BROKEN)(text));
    await writeFile(storm.path(`${name}.tmp`), text);
    await rename(storm.path(`${name}.tmp`), storm.path(name));
    await rm(storm.path(`${name}.swp`));
    if (n % 100 !== 50) continue;
    await mkdir(storm.path('folder'));
    await rename(storm.path('many2.yaml'), storm.path('folder/many2.yaml'));
    await rename(storm.path('folder/many2.yaml'), storm.path('many2.yaml'));
    await rm(storm.path('folder'), { recursive: true });
  }
  await writeFile(storm.path('edited.yaml.tmp'), endpointFile('edited', steady(before + 1), 1));
  await rename(storm.path('edited.yaml.tmp'), storm.path('edited.yaml'));
  return inTime('after the renames', await untilLive(storm.serving, 'edited', before + 1), LIVE_MS);
}

function live(what: string, times: readonly number[]): readonly Check[] {
  return [
    exact(`${what} never in service`, times.filter((ms) => ms >= PATIENCE_MS).length, 0),
    inTime(`${what} in service after at most`, Math.max(...times), LIVE_MS),
  ];
}

/** Milliseconds until requests are answered by that version. */
async function untilLive(serving: Serving, name: string, value: number): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE_MS) {
    if ((await valueOf(serving, name)) === value) return performance.now() - began;
    await setTimeout(5);
  }
  return PATIENCE_MS;
}

async function valueOf({ call }: Serving, name: string): Promise<number | undefined> {
  const { status, body } = await call(name);
  return status === 200 ? Number(/"value":(\d+)/.exec(body.toString())?.[1]) : undefined;
}
