// Does several things at once, for the engine, which has several connections.

const AT_ONCE = 4;

/** Calls `work` with each item, a few at a time; the results are in the order of the items. Rejects as the first one does. */
export async function mapAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const take = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return results;
}
