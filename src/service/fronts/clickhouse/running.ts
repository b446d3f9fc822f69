// The running queries of each key, for KILL QUERY and system.processes.
import { Problem } from '../../../sql/base/problem.ts';

export interface Running {
  readonly queryId: string;
  readonly query: string;
  readonly database: string;
  /** Milliseconds, monotonic. */
  readonly started: number;
}

interface Entry extends Running {
  readonly controller: AbortController;
}

export interface RunningQueries {
  /**
   * Registers a query until `end` is called. The signal is aborted by `kill`. Throws Problem `query.id_in_use`: keys do not see each
   * other's ids.
   */
  readonly begin: (
    key: string,
    running: Running,
  ) => { readonly signal: AbortSignal; readonly end: () => void };
  readonly of: (key: string) => readonly Running[];
  /** The queries of the key with these ids; they are canceled unless `isTest`. */
  readonly kill: (key: string, ids: ReadonlySet<string>, isTest: boolean) => readonly Running[];
}

export function createRunningQueries(): RunningQueries {
  const byKey = new Map<string, Map<string, Entry>>();
  return {
    begin: (key, running) => {
      const own = byKey.get(key) ?? new Map<string, Entry>();
      const { queryId } = running;
      if (own.has(queryId)) {
        throw new Problem('query.id_in_use', { detail: `A query with id ${queryId} is running` });
      }
      const controller = new AbortController();
      own.set(queryId, { ...running, controller });
      byKey.set(key, own);
      const end = (): void => {
        own.delete(queryId);
        if (own.size === 0 && byKey.get(key) === own) byKey.delete(key);
      };
      return { signal: controller.signal, end };
    },
    of: (key) => [...(byKey.get(key)?.values() ?? [])],
    kill: (key, ids, isTest) => {
      const found = [...(byKey.get(key)?.values() ?? [])].filter(({ queryId }) => ids.has(queryId));
      if (!isTest) for (const { controller } of found) controller.abort(new Problem('query.canceled'));
      return found;
    },
  };
}
