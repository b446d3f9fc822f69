// Channels: what they send, how data is escaped, and where they do not connect to.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LookUp } from '../../../src/service/channels/address.ts';
import { isInside } from '../../../src/service/channels/inside.ts';
import type { Message } from '../../../src/service/channels/message.ts';
import { openChannels } from '../../../src/service/channels/open-channels.ts';
import type { ChannelSettings } from '../../../src/service/config/channel-settings.ts';
import { openHttpSink, type HttpSink } from '../../support/http-sink.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const HOSTILE =
  '<!channel> <@U1> @everyone *b* _i_ `c` [text](http://evil.test) <http://evil.test|ok> & \u202Eabc\r\nBcc: x@evil.test';
const MESSAGE: Message = {
  id: 'msg_1',
  kind: 'firing',
  watch: 'w.errors/default',
  endpoint: 'w.errors',
  group: { project: HOSTILE },
  values: { errors: 5, project: HOSTILE },
  text: HOSTILE.replaceAll(/[\r\n\u202e]/g, ' '),
  at: 1_700_000_000_000,
  incident: 'millrace-1',
};

let sink: HttpSink;
beforeAll(async () => {
  sink = await openHttpSink();
});
afterAll(() => sink.close());
beforeEach(() => {
  sink.requests.length = 0;
  sink.answers.length = 0;
});

const noLookUp: LookUp = () => Promise.reject(new Error('no names are looked up'));

function channel(settings: Partial<ChannelSettings>, lookUp: LookUp = noLookUp, certificate?: string) {
  const full: ChannelSettings = {
    name: 'c',
    kind: 'webhook',
    secret: SECRET,
    url: sink.url,
    inside: true,
    ...settings,
  };
  const opened = openChannels(new Map([['c', full]]), { after: REAL_TIME.after, lookUp, certificate }).get(
    'c',
  );
  if (opened === undefined) throw new Error('it is there');
  return opened;
}

describe('what is sent', () => {
  test('a webhook is signed, and has the id of the message each time', async () => {
    const { send } = channel({});
    await send(MESSAGE, Date.now());
    await send(MESSAGE, Date.now());
    for (const { body, headers } of sink.requests) {
      const verified = new Webhook(SECRET).verify(body, { ...headers });
      expect(verified).toMatchObject({ type: 'watch.firing', data: { values: { project: HOSTILE } } });
      expect(headers['webhook-id']).toBe('msg_1');
    }
  });

  test('in Slack, values are text: no mention, link or format', async () => {
    await channel({ kind: 'slack' }).send(MESSAGE, 0);
    const [body] = sink.bodies() as { text: string; blocks: { text: { type: string } }[] }[];
    expect(body?.text).not.toMatch(/<|>|@[A-Za-z]|]\(|https?:\/\/|\*b/);
    expect(body?.text).toContain('&lt;');
    expect(body?.blocks[0]?.text.type).toBe('plain_text');
  });

  test('PagerDuty gets one incident for the beginning and the end', async () => {
    const { send } = channel({ kind: 'pagerduty', routing_key: 'key' });
    await send(MESSAGE, 0);
    await send({ ...MESSAGE, id: 'msg_2', kind: 'resolved' }, 0);
    const [firing, resolved] = sink.bodies();
    expect(firing).toMatchObject({ event_action: 'trigger', dedup_key: 'millrace-1', routing_key: 'key' });
    expect(resolved).toMatchObject({ event_action: 'resolve', dedup_key: 'millrace-1' });
  });
});

describe('e-mail', () => {
  const tls = (name: string): string =>
    readFileSync(join(import.meta.dirname, '../../support/tls', name), 'utf8');
  const mails: {
    readonly text: string;
    readonly to: readonly string[];
    readonly secure: boolean;
    readonly user: unknown;
  }[] = [];
  let refuse = false;
  const server = new SMTPServer({
    key: tls('server.key'),
    cert: tls('server.pem'),
    onAuth: ({ username, password }, _session, callback) =>
      password === 'word' ? callback(null, { user: username }) : callback(new Error('wrong')),
    authOptional: true,
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refuse) return callback(Object.assign(new Error('full'), { responseCode: 452 }));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({
          text: Buffer.concat(chunks).toString(),
          to,
          secure: session.secure,
          user: session.user,
        });
        callback();
      });
    },
  });
  let port = 0;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    ({ port } = server.server.address() as AddressInfo);
  });
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)));
  const email = (more: Partial<ChannelSettings> = {}) =>
    channel(
      {
        kind: 'email',
        host: 'localhost',
        port,
        from: 'millrace@a.test',
        to: ['x@a.test', 'y@a.test'],
        ...more,
      },
      async () => [{ address: '127.0.0.1', family: 4 }],
      tls('ca.pem'),
    );

  test('it is plain text over an encrypted connection, with the id of the message, and no header comes from data', async () => {
    await email({ user: 'u', password: 'word' }).send(MESSAGE, 0);
    const [mail] = mails.splice(0);
    expect(mail).toMatchObject({ to: ['x@a.test', 'y@a.test'], secure: true, user: 'u' });
    const [head = ''] = mail?.text.split('\r\n\r\n') ?? [];
    expect(head).toContain('Message-ID: <msg_1@a.test>');
    expect(head).toContain('Content-Type: text/plain');
    expect(head).not.toMatch(/bcc/i);
  });

  test('a server that does not accept it, a wrong password and one without encryption are errors', async () => {
    refuse = true;
    await expect(email().send(MESSAGE, 0)).rejects.toThrow(
      'The SMTP server has not accepted the message (452)',
    );
    refuse = false;
    await expect(email({ user: 'u', password: 'x' }).send(MESSAGE, 0)).rejects.toThrow('(535)');
    await expect(email({ inside: false }).send(MESSAGE, 0)).rejects.toThrow('inside address');
    expect(mails).toEqual([]);
  });
});

describe('where requests go', () => {
  test.each([
    '127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255',
    '::1', '::', 'fe80::1', 'fc00::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', 'ff02::1', 'x',
  ])('%s is inside', (address) => expect(isInside(address)).toBe(true)); // prettier-ignore
  test.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111'])('%s is not', (address) =>
    expect(isInside(address)).toBe(false),
  );

  test.each([
    'https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://name.test/',
  ])('without inside: true, %s is not connected to', async (url) => {
    const names: LookUp = async () => [{ address: '8.8.8.8', family: 4 }, { address: '127.0.0.1', family: 4 }];
    await expect(channel({ url, inside: false }, names).send(MESSAGE, 0)).rejects.toThrow('inside address');
  }); // prettier-ignore

  test('a name is looked up once, and the connection is made to the address that was checked', async () => {
    let lookUps = 0;
    const rebinding: LookUp = async () => [
      { address: lookUps++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 },
    ];
    const url = sink.url.replace('127.0.0.1', 'name.test');
    await channel({ url }, rebinding).send(MESSAGE, 0);
    expect(lookUps).toBe(1);
    expect(sink.requests[0]?.headers['host']).toContain('name.test');
  });

  test('a redirect is not followed, and statuses other than 2xx are errors', async () => {
    sink.answers.push({ status: 302, headers: { Location: sink.url } }, 500, { status: 429, headers: { 'Retry-After': '7' } }); // prettier-ignore
    const { send } = channel({});
    await expect(send(MESSAGE, 0)).rejects.toThrow('a redirect, which is not followed');
    await expect(send(MESSAGE, 0)).rejects.toThrow('the status 500');
    await expect(send(MESSAGE, 0)).rejects.toMatchObject({ retryAfter: 7 });
    expect(sink.requests).toHaveLength(3);
  });

  test.each(['http://8.8.8.8/', 'https://user:word@8.8.8.8/', 'ftp://8.8.8.8/', 'no url'])(
    '%s is not accepted',
    (url) =>
      expect(channel({ url, inside: false }).send(MESSAGE, 0)).rejects.toThrow('The URL of the channel'),
  );
});
