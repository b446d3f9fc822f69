// What channels send.

/** What happened: the condition became true or ended, or the watch cannot look, or looks again. */
export type MessageKind = 'firing' | 'resolved' | 'no_data' | 'failing' | 'recovered';

/** A message; its id is the same each time that it is sent. */
export interface Message {
  readonly id: string;
  readonly kind: MessageKind;
  /** Endpoint and watch, as `usage.errors/default`. */
  readonly watch: string;
  readonly endpoint: string;
  /** Values of the columns of the group; empty: the watch has none. */
  readonly group: Readonly<Record<string, unknown>>;
  /** Values of the columns that the watch names. */
  readonly values: Readonly<Record<string, unknown>>;
  /** One line of plain text. */
  readonly text: string;
  /** When it happened; milliseconds since 1970. */
  readonly at: number;
  /** The same for all messages about one state, such as of a group. */
  readonly incident: string;
}

const TITLES: Readonly<Record<MessageKind, string>> = {
  firing: 'Firing',
  resolved: 'Resolved',
  no_data: 'No data',
  failing: 'Failing',
  recovered: 'Recovered',
};

export const titleOf = ({ kind, watch }: Pick<Message, 'kind' | 'watch'>): string =>
  `${TITLES[kind]}: ${watch}`;

/** The message as JSON has it. */
export function payloadOf({ kind, watch, endpoint, group, values, text, at, incident }: Message): object {
  return {
    type: `watch.${kind}`,
    timestamp: new Date(at).toISOString(),
    data: { watch, endpoint, state: kind, incident, group, values, message: text },
  };
}

/** A place that messages are sent to. */
export interface Channel {
  readonly name: string;
  readonly kind: string;
  /** Sends a message; `now` is in milliseconds since 1970. Rejects with ChannelError. */
  send(message: Message, now: number): Promise<void>;
}
