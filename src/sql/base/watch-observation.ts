// What is observed of watches: looks, states that change, messages.

export type WatchObservation =
  /** A watch was due: its query ran, its data was unchanged, or the look failed. */
  | {
      readonly kind: 'watch.looked';
      readonly watch: string;
      readonly outcome: 'ran' | 'unchanged' | 'failed';
      readonly ms: number;
      /** Why it failed: a code of a problem, or of the condition. */
      readonly reason?: string;
    }
  /** A watch has another state, about which messages are stored to be sent. */
  | { readonly kind: 'watch.changed'; readonly watch: string; readonly event: string }
  /** The state of a watch that is in no file any more was removed. */
  | { readonly kind: 'watch.removed'; readonly watch: string }
  | {
      readonly kind: 'watch.notified';
      readonly watch: string;
      readonly channel: string;
      readonly event: string;
      readonly id: string;
      readonly attempts: number;
      readonly ms: number;
    }
  | {
      readonly kind: 'watch.not_notified';
      readonly watch: string;
      readonly channel: string;
      readonly event: string;
      readonly id: string;
      readonly attempts: number;
      /** The message was given up, and is kept as a dead letter. */
      readonly isDead: boolean;
      readonly cause: unknown;
    }
  | { readonly kind: 'watch.not_stored'; readonly cause: unknown };
