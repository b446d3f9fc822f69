// Runs the tests of a watch: looks at fixtures with a clock that moves, and compares the messages.
import { randomUUID } from 'node:crypto';
import { locateFinding } from '../../../service/config/locate-finding.ts';
import type { ExpectedMessage, WatchTest } from '../../../service/config/generated/endpoint.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { watchesIn, type DeclaredWatch, type WatchPolicy } from '../../../service/endpoints/watches.ts';
import { advance, watchId, type WatchEvent } from '../../../service/watches/advance.ts';
import { look } from '../../../service/watches/look.ts';
import { newRecord } from '../../../service/watches/record.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { differences, show } from './difference.ts';
import { shortPath } from './endpoint-files.ts';
import { rowsWith, type Bench } from './example-run.ts';

/** A test of a watch, and where it is in its file. */
export interface WatchCase {
  readonly file: InspectedFile;
  readonly watch: WatchPolicy;
  readonly test: WatchTest;
  readonly path: readonly (string | number)[];
}

export function watchCasesOf(file: InspectedFile): readonly WatchCase[] {
  const { watches } = file.candidate.endpoint;
  return watchesIn(file.analysis.file).flatMap((declared: DeclaredWatch, at) => {
    const watch = watches[at];
    if (watch === undefined) return [];
    return (declared.watch.tests ?? []).map((test, index) => {
      const path = [...declared.path, 'tests', index];
      return { file, watch, test, path };
    });
  });
}

const MAX_LOOKS = 2000;

/** Resolves to what differs; empty: it passed. */
export async function runWatch(each: WatchCase, bench: Bench): Promise<readonly Finding[]> {
  const { file, watch, test, path } = each;
  const [from, until] = [Date.parse(test.from), Date.parse(test.until)];
  const count = Math.floor((until - from) / watch.every) + 1;
  if (!(count >= 1 && count <= MAX_LOOKS) || from < 0 || until >= 2 ** 32 * 1000)
    return [failure(each, ['until'], `from and until are times from 1970 to 2105 with 1 to ${MAX_LOOKS} looks between them, not ${count}`)]; // prettier-ignore
  const findings = await bench.stage.set(rowsWith(file, test.fixtures, [...path, 'fixtures']));
  if (findings.length > 0) return findings;
  return compareMessages(each, await messagesOf(each, bench, { from, until }));
}

async function messagesOf(
  { file, watch }: WatchCase,
  { pathAt }: Bench,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<readonly WatchEvent[]> {
  const { endpoint } = file.candidate;
  const { signal } = new AbortController();
  const events: WatchEvent[] = [];
  let record = newRecord(watchId(endpoint.name, watch), from);
  for (let now = from; now <= until; now += watch.every) {
    const path = pathAt(now);
    const deps = { path, keyring: path.keyring, newId: randomUUID };
    const { evaluation } = await look(deps, { endpoint, watch }, { before: undefined, signal });
    const next = advance(record, { endpoint: endpoint.name, watch, evaluation, now });
    record = next.record;
    events.push(...next.events);
  }
  return events;
}

function compareMessages(each: WatchCase, sent: readonly WatchEvent[]): readonly Finding[] {
  const { expect } = each.test;
  for (const [index, expected] of expect.entries()) {
    const actual = sent[index];
    if (actual === undefined) return [failure(each, ['expect', index], `expected ${show(expected)}, and no more messages were sent`)]; // prettier-ignore
    const problem = mismatchOf(expected, actual);
    if (problem !== undefined)
      return [failure(each, ['expect', index], `${problem}; got ${shownEvent(actual)}`)];
  }
  const more = sent[expect.length];
  if (more === undefined) return [];
  const count = sent.length - expect.length;
  return [failure(each, ['expect'], `${count} further message${count === 1 ? '' : 's'}; the first is ${shownEvent(more)}`)]; // prettier-ignore
}

function mismatchOf({ state, at, group, message }: ExpectedMessage, actual: WatchEvent): string | undefined {
  if (state !== actual.kind) return `expected ${state}`;
  if (at !== undefined && Date.parse(at) !== actual.at) return `expected it at ${at}`;
  if (message !== undefined && message !== actual.text) return `expected the text ${show(message)}`;
  if (group !== undefined && [...differences(group, actual.group, ['group'])].length > 0)
    return `expected the group ${show(group)}`;
  return undefined;
}

function shownEvent({ kind, at, group, text }: WatchEvent): string {
  return show({ state: kind, at: new Date(at).toISOString(), group, message: text });
}

function failure({ file, path }: WatchCase, where: readonly (string | number)[], message: string): Finding {
  const found = locateFinding(file.document, { code: 'test.watch', path: [...path, ...where], message });
  return { ...found, file: shortPath(found.file) };
}
