// What the engine says of an endpoint's columns: asked once for each compiled endpoint, when somebody wants to know.
import type { Column, Engine } from '../engine/engine.ts';
import type { Endpoint } from './endpoint.ts';

/** The result columns of an endpoint; undefined when the engine cannot tell them now (asked again next time). */
export type DescribeColumns = (endpoint: Endpoint) => Promise<readonly Column[] | undefined>;

/** Answers are kept as long as the compiled endpoint is in service. */
export function createDescribe(engine: Engine): DescribeColumns {
  const known = new WeakMap<Endpoint, Promise<readonly Column[] | undefined>>();
  return (endpoint) => {
    const found = known.get(endpoint) ?? ask(engine, endpoint);
    known.set(endpoint, found);
    void found.then((columns) => columns ?? known.delete(endpoint));
    return found;
  };
}

function ask(engine: Engine, { query, sampleValues, limits, int64 }: Endpoint): ReturnType<DescribeColumns> {
  const statement = { sql: query, parameters: sampleValues, limits, origin: 'saved', int64 } as const;
  return engine.describe(statement).catch(() => undefined);
}
