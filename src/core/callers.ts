// The callers that wait for one run.

export interface Callers {
  /** Calls the listener with each caller, also with those that come later; returns the function that ends it. */
  readonly follow: (listener: (caller: string) => void) => () => void;
}
