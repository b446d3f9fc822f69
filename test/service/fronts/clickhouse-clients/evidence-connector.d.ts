// Types of a package that has none, as far as the tests use it.
declare module 'evidence-connector-clickhouse' {
  export function getRunner(options: {
    readonly url: string;
    readonly username: string;
    readonly password: string;
  }): (
    sql: string,
    path: string,
  ) => Promise<{ readonly rows: readonly unknown[]; readonly columnTypes: readonly unknown[] }>;
}
