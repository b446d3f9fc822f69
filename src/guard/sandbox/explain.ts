// How the engine is asked for its reading of a query.

/** The engine's response to EXPLAIN: the tree as text, or that it rejected the query. */
export type Explained =
  | { readonly kind: 'tree'; readonly text: string }
  | { readonly kind: 'rejected'; readonly engineCode: number | undefined; readonly message: string };

/** Runs EXPLAIN on a read-only connection with the consumers' limits; rejects for any other failure. */
export type Explain = (sql: string) => Promise<Explained>;
