// The columns of an endpoint's tables as a key reads them.
import type { Describe } from '../../endpoints/describe.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import type { Sandboxes } from '../../request/consumer/sandboxes.ts';

type Columns = ReadonlyMap<string, readonly Column[]>;

/** `isRedacted`: tables whose redaction is always on for the key have other types and fewer columns. */
export type ColumnsOf = (endpoint: Endpoint, isRedacted: boolean) => Promise<Columns>;

const NONE: Columns = new Map();

/** Empty if the engine cannot describe the tables now: lists go on without them. */
export function createColumnsOf({
  describe,
  sandboxes,
}: {
  describe: Describe;
  sandboxes: Pick<Sandboxes, 'of'>;
}): ColumnsOf {
  return async (endpoint, isRedacted) => {
    if (isRedacted) {
      const sandbox = await sandboxes.of(endpoint, true).catch(() => undefined);
      return sandbox?.readable ?? NONE;
    }
    const tables = await describe.tables(endpoint);
    return tables === undefined ? NONE : new Map(tables.map(({ name, columns }) => [name, columns]));
  };
}
