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

export function bytesOf({ topics, holding }: Pick<RoomOptions, 'topics' | 'holding'>): number {
  let bytes = holding.bytes();
  for (const { history } of topics.values()) bytes += history.bytes();
  return bytes;
}

/** Whether there is room for more; what is only remembered for callers who reconnect is forgotten first. */
export function hasRoom(room: RoomOptions): boolean {
  if (bytesOf(room) <= room.memory) return true;
  for (const { id, idleSince } of room.topics.values()) if (idleSince !== undefined) room.topics.delete(id);
  return bytesOf(room) <= room.memory;
}

/** Cuts off the slowest readers, and then those of the largest results: callers with small ones are not disturbed. */
export function makeRoom(room: RoomOptions): void {
  while (room.holding.bytes() > room.memory) {
    const slowest = longestStalled(room);
    if (slowest === undefined) break;
    slowest.cut('full');
  }
  if (hasRoom(room)) return;
  const largest = [...room.topics.values()].toSorted((a, b) => b.history.bytes() - a.history.bytes());
  for (const topic of largest) {
    for (const stream of topic.streams) stream.cut('full');
    room.topics.delete(topic.id);
    if (bytesOf(room) <= room.memory) return;
  }
}

function longestStalled({ streams }: RoomOptions): OpenStream | undefined {
  let found: OpenStream | undefined;
  for (const stream of streams.keys()) if (stream.stalledFor() > (found?.stalledFor() ?? 0)) found = stream;
  return found;
}
