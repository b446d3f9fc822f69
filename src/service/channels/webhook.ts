// Webhooks with a signature, as https://www.standardwebhooks.com/ defines it.
import { createHmac } from 'node:crypto';
import { ChannelError } from './channel-error.ts';
import { payloadOf, type Channel } from './message.ts';
import { post, type PostDeps } from './post.ts';

export interface WebhookOptions {
  readonly name: string;
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
}

export function createWebhook({ name, url, secret }: WebhookOptions, deps: PostDeps): Channel {
  return {
    name,
    kind: 'webhook',
    send: (message, now) => {
      const timestamp = String(Math.floor(now / 1000));
      const body = JSON.stringify(payloadOf(message));
      const headers = {
        'Content-Type': 'application/json',
        'webhook-id': message.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(secret, `${message.id}.${timestamp}.${body}`),
      };
      return post(deps, { url, headers, body });
    },
  };
}

const LEAST_BYTES = 24;
const MOST_BYTES = 64;

/** The secret as bytes. Throws ChannelError. */
function webhookKey(secret: string): Buffer {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(encoded, 'base64');
  if (key.length < LEAST_BYTES || key.length > MOST_BYTES)
    throw new ChannelError('The secret of a webhook is whsec_ and 24 to 64 bytes in base64');
  return key;
}

function signatureOf(secret: string, content: string): string {
  return `v1,${createHmac('sha256', webhookKey(secret)).update(content).digest('base64')}`;
}
