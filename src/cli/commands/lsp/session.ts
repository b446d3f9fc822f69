// The engine of an editor's session: opened when it is first needed, and again when the definitions of the tables change.
import { hash } from 'node:crypto';
import type { Settings } from '../../../service/config/settings.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { rememberStatements } from '../analysis/remember.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import { readTables, withSchemaEngine } from '../../kit/schema-engine.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import { readNames, type Names } from './names.ts';

/** An engine that has the tables. */
export interface OpenTables {
  readonly engine: Engine;
  readonly schema: LoadedSchema;
  readonly names: Names;
}

export interface Session {
  /** Rejects with CommandError or EngineError. */
  readonly tables: () => Promise<OpenTables>;
  /** What is open now. */
  readonly opened: () => OpenTables | undefined;
  readonly close: () => Promise<void>;
}

interface SessionOptions {
  readonly settings: Settings;
  /** Chosen again each time: the folder may have been created. */
  readonly schema: () => SchemaChoice | undefined;
  readonly openEngine: OpenEngine;
}

interface Opened {
  readonly key: string;
  readonly tables: Promise<OpenTables>;
  readonly close: () => Promise<void>;
}

export function createSession({ settings, schema: choose, openEngine }: SessionOptions): Session {
  let [current, latest]: [Opened | undefined, OpenTables | undefined] = [undefined, undefined];
  const open = (
    schema: SchemaChoice | undefined,
    files: Awaited<ReturnType<typeof readTables>>,
  ): Omit<Opened, 'key'> => {
    const ended = withResolvers<void>();
    const { promise, resolve, reject } = withResolvers<OpenTables>();
    const closed = withSchemaEngine({ settings, schema, files, openEngine }, async (engine, _, loaded) => {
      const remembering = rememberStatements(engine);
      resolve({ engine: remembering, schema: loaded, names: await readNames(remembering) });
      await ended.promise;
    }).catch(reject);
    const close = (): Promise<void> => {
      ended.resolve();
      return closed;
    };
    return { tables: promise, close };
  };
  return {
    tables: async () => {
      const schema = choose();
      const files = schema === undefined ? [] : await readTables(schema);
      const key = hash('sha256', JSON.stringify([schema, files]));
      if (current?.key !== key) {
        void current?.close();
        current = { key, ...open(schema, files) };
      }
      const opened = current;
      latest = await opened.tables.catch((cause: unknown) => {
        if (current === opened) current = undefined;
        throw cause;
      });
      return latest;
    },
    opened: () => latest,
    close: async () => current?.close(),
  };
}

function withResolvers<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (cause: unknown) => void;
} {
  let [resolve, reject]: [(value: T) => void, (cause: unknown) => void] = [() => undefined, () => undefined];
  const promise = new Promise<T>((fulfil, fail) => {
    [resolve, reject] = [fulfil, fail];
  });
  return { promise, resolve, reject };
}
