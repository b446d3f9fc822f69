// An engine that is asked each statement of an analysis once: files that include the same parts ask the same.
import { createLru } from '../../../sql/base/lru.ts';
import { EngineError, type Engine, type Result, type Statement } from '../../../service/engine/engine.ts';
import { readAll } from '../../../service/engine/rows.ts';

/** Statements that are remembered; the tree of a query has some 20 kB. */
const REMEMBERED = 4000;

/** For an engine whose tables do not change. Consumer statements, which have limits of their own, are always run. */
export function rememberStatements(engine: Engine): Engine {
  const describe = createMemo<Awaited<ReturnType<Engine['describe']>>>();
  const run = createMemo<Result & { readonly bytes: Uint8Array }>();
  return {
    ...engine,
    describe: async (statement, hooks) => {
      const ask = (): ReturnType<Engine['describe']> => engine.describe(statement, hooks);
      return statement.origin === 'consumer' ? ask() : describe(keyOf(statement, 'describe'), ask);
    },
    run: async (statement, options) => {
      if (statement.origin === 'consumer') return engine.run(statement, options);
      const { bytes, ...result } = await run(keyOf(statement, options.format), async () => {
        const found = await engine.run(statement, options);
        return { ...found, bytes: await readAll(found.chunks) };
      });
      return { ...result, chunks: only(bytes) };
    },
  };
}

/** The time of a statement also depends on what is left for its file, so that it is not part of the key. */
function keyOf(
  { sql, parameters, int64, limits: { time: _time, ...limits } }: Statement,
  format: unknown,
): string {
  return JSON.stringify([sql, parameters, int64, limits, format]);
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

type Memo<T> = (key: string, ask: () => Promise<T>) => Promise<T>;

/** Remembers results and rejections. What failed otherwise is asked again by each who wants it, within its own limits. */
function createMemo<T>(): Memo<T> {
  const known = createLru<Promise<T>>({ entries: REMEMBERED });
  return async (key, ask) => {
    const found = known.get(key);
    const answer = found && (await found.catch(rejectionOnly));
    if (answer !== undefined) return answer;
    const asked = ask();
    known.set(key, asked);
    asked.catch(rejectionOnly).then(
      (value) => value === undefined && known.get(key) === asked && known.delete(key),
      () => undefined,
    );
    return asked;
  };
}

/** Undefined for an error that another attempt may not have. */
function rejectionOnly(cause: unknown): undefined {
  if (cause instanceof EngineError && cause.failure === 'rejected') throw cause;
  return undefined;
}
