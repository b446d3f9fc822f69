// Reads which tables and columns a query in the SQL of another system names.
import type { ReadForeign } from '../../compatibility/consumers/foreign-query.ts';

export interface ForeignReader {
  readonly read: ReadForeign;
  readonly close: () => Promise<void>;
}

export function createForeignReader(): ForeignReader {
  return { read: async (_, dialect) => `the dialect ${dialect} is not known`, close: async () => {} };
}
