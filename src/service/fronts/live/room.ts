// The memory of results that are known or being sent: who has to go if it is used up.
import type { createHolding } from './holding.ts';
import type { OpenStream } from './stream.ts';
import type { Topic } from './topic.ts';

export interface RoomOptions {
  readonly topics: Map<string, Topic>;
  readonly streams: ReadonlyMap<OpenStream, Topic>;
  readonly holding: ReturnType<typeof createHolding>;
  /** Bytes. */
  readonly memory: number;
}

export function bytesOf(room: Pick<RoomOptions, 'topics' | 'holding'>): number {
  return room.holding.bytes() + knownBytes(room);
}

function knownBytes({ topics }: Pick<RoomOptions, 'topics'>): number {
  let bytes = 0;
  for (const { history } of topics.values()) bytes += history.bytes();
  return bytes;
}

/** Returns whether there is room for more; what is only remembered for callers who reconnect is forgotten first. */
export function hasRoom(room: RoomOptions): boolean {
  // Not their sum: what is being sent is mostly what is known.
  const isRoomy = (): boolean => Math.max(room.holding.bytes(), knownBytes(room)) <= room.memory;
  if (isRoomy()) return true;
  for (const { id, idleSince } of room.topics.values()) if (idleSince !== undefined) room.topics.delete(id);
  return isRoomy();
}

/** Cuts off the slowest readers, and then those of the largest results: callers with small ones are not disturbed. */
export function makeRoom(room: RoomOptions): void {
  while (room.holding.bytes() > room.memory) {
    const slowest = longestStalled(room);
    if (slowest === undefined) break;
    slowest.cut('full');
  }
  if (hasRoom(room)) return;
  let bytes = knownBytes(room);
  const largest = [...room.topics.values()].toSorted((a, b) => b.history.bytes() - a.history.bytes());
  for (const topic of largest) {
    if (bytes <= room.memory) return;
    bytes -= topic.history.bytes();
    room.topics.delete(topic.id);
    for (const stream of topic.streams) stream.cut('full');
  }
}

function longestStalled({ streams }: RoomOptions): OpenStream | undefined {
  let found: OpenStream | undefined;
  for (const stream of streams.keys()) if (stream.stalledFor() > (found?.stalledFor() ?? 0)) found = stream;
  return found;
}
