// One endpoint's sandbox: a consumer query is read, scanned, checked against the engine's tree and wrapped, or rejected.
import { createLru } from '../../sql/base/lru.ts';
import { Problem } from '../../sql/base/problem.ts';
import { checkQuery } from './check.ts';
import type { TableColumn } from './columns.ts';
import type { Explain } from './explain.ts';
import { lexConsumerQuery } from './lexed-query.ts';
import { readEndpoint, type EndpointOptions } from './read-endpoint.ts';
import type { IsNull } from './read-table.ts';
import { assembleReread, assembleStatement, type ConsumerStatement } from './statement.ts';
import { isResolved } from './times/times.ts';
import type { Verdict } from './verdict.ts';

export type { Explain, Explained } from './explain.ts';
export type { ComputedOnRead } from './read-endpoint.ts';
export type { Verdict } from './verdict.ts';

export interface SandboxOptions extends EndpointOptions {
  readonly revision: string;
  readonly cache: VerdictCache<Verdict>;
}

/** The checks and statements of one endpoint revision; shared by all of its consumers. */
export interface Sandbox {
  /** Names of the tables that consumers may read. */
  readonly tables: readonly string[];
  /**
   * `evaluate` runs what makes the engine evaluate constants of the query; default: `explain`.
   * @throws Problem sandbox.*, with line and column; passes on whatever `explain` and `evaluate` reject with.
   */
  check(text: string, evaluate?: Explain): Promise<Verdict>;
  /** Returns whether the engine can resolve a checked query, over one row of default values; false also if it cannot be asked. */
  resolves(verdict: Verdict, evaluate: Explain): Promise<boolean>;
  /**
   * The statement for a checked query. `rows` is the row limit, one above the caller's so that truncation is detected.
   * With `isNull` the statement is only for calls in which the same parameters are NULL.
   */
  assemble(verdict: Verdict, rows: number, isNull?: IsNull): ConsumerStatement;
  /** The statement to run after that one failed; undefined if another tenant's data cannot be the cause. */
  assembleReread(verdict: Verdict, rows: number, isNull?: IsNull): ConsumerStatement | undefined;
  /** All known columns of the tables. */
  readonly columns: ReadonlySet<string>;
  /** The columns of each table as a query reads them; undefined if the engine has not described them. */
  readonly readable: ReadonlyMap<string, readonly TableColumn[]> | undefined;
}

/** Compiles one endpoint's sandbox; reads the saved query once. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { revision, cache, explain } = options;
  const context = readEndpoint(options);
  const { tables, columns } = context;
  const read = (verdict: Verdict) => tables.filter(({ name }) => verdict.tables.includes(name));
  return {
    tables: tables.map(({ name }) => name),
    columns: new Set([...(columns?.values() ?? [])].flatMap((all) => all.map(({ name }) => name))),
    readable: columns,
    check: (source, evaluate = explain) =>
      cache.get(`${revision} ${source}`, () => checkQuery(source, context, evaluate), isRejection),
    resolves: async ({ source, tables: known }, evaluate) =>
      columns !== undefined && isResolved(lexConsumerQuery(source), { evaluate, tables: known, columns }),
    assemble: (verdict, rows, isNull) => assembleStatement(read(verdict), verdict, rows, isNull),
    assembleReread: (verdict, rows, isNull) => assembleReread(read(verdict), verdict, rows, isNull),
  };
}

/** Others are problems of a caller, such as its budget. */
function isRejection(error: unknown): boolean {
  return error instanceof Problem && error.code.startsWith('sandbox.');
}

/** One cache for all endpoints. Stores promises, so that concurrent checks of the same query are coalesced. */
export interface VerdictCache<T> {
  /**
   * The cached value for `key`, else the result of `check`; rejections are cached only if `isFinal` returns true. Any other Problem is
   * that of the caller whose check it was, such as its budget: those who waited for that check do their own.
   */
  get(key: string, check: () => Promise<T>, isFinal?: (error: unknown) => boolean): Promise<T>;
}

/** `maxCharacters` bounds the keys, which contain the queries; an entry takes about four times as much with its verdict. */
export function createVerdictCache<T>(maxCharacters: number): VerdictCache<T> {
  const verdicts = createLru<Promise<T>>({ size: maxCharacters, sizeOf: (_, key) => key.length });
  const cache: VerdictCache<T> = {
    async get(key, check, isFinal = () => false) {
      const known = verdicts.get(key);
      if (known !== undefined) {
        return known.catch((error: unknown) => {
          if (isFinal(error) || !(error instanceof Problem)) throw error;
          return cache.get(key, check, isFinal);
        });
      }
      const value = check();
      verdicts.set(key, value);
      value.catch((error: unknown) => {
        if (!isFinal(error) && verdicts.get(key) === value) verdicts.delete(key);
      });
      return value;
    },
  };
  return cache;
}
