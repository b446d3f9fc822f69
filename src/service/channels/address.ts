// The address that a message is sent to: it is looked up and checked once, and the connection is made to that address.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { ChannelError } from './channel-error.ts';
import { isInside } from './inside.ts';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a host name. */
export type LookUp = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export const systemLookUp: LookUp = (host) => lookup(host, { all: true });

export interface AddressOptions {
  readonly lookUp: LookUp;
  /** Inside addresses are allowed. */
  readonly inside: boolean;
}

/** Rejects with ChannelError if the host is unknown, or has an inside address although none is allowed. */
export async function addressOf(host: string, { lookUp, inside }: AddressOptions): Promise<Address> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const literal = isIP(bare);
  const found = literal === 0 ? await lookUp(bare).catch(unknownHost) : [{ address: bare, family: literal }];
  const [first] = found;
  if (first === undefined) throw new ChannelError('The host of the channel has no address');
  if (!inside && found.some(({ address }) => isInside(address)))
    throw new ChannelError(
      'The host of the channel has an inside address, which only a channel with inside: true may use',
    );
  return { address: first.address, family: first.family === 6 ? 6 : 4 };
}

function unknownHost(cause: unknown): never {
  throw new ChannelError('The host of the channel cannot be looked up', { cause });
}
