// The keys for which a statement runs.

/** The keys that wait for one statement. */
export interface Callers {
  /** Calls the listener with each key, also with those that come later; returns the function that ends it. */
  readonly follow: (listener: (key: string) => void) => () => void;
}
