// E-mail by SMTP: plain text only. The connection is made to an address that was checked.
import { addressOf, type AddressOptions } from './address.ts';
import { ChannelError } from './channel-error.ts';
import { titleOf, type Channel, type Message } from './message.ts';

export interface EmailOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: 'always' | 'starttls' | 'never';
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly from: string;
  readonly to: readonly string[];
}

export interface EmailDeps extends AddressOptions {
  /** Trusted certificates in PEM besides those of Node.js; for tests. */
  readonly certificate?: string | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_SUBJECT = 200;

export function createEmail(options: EmailOptions, deps: EmailDeps): Channel {
  return { name: options.name, kind: 'email', send: (message) => send(options, deps, message) };
}

async function send(options: EmailOptions, deps: EmailDeps, message: Message): Promise<void> {
  const { host, port, tls, user, password, from, to } = options;
  const { address } = await addressOf(host, deps);
  const { createTransport } = await import('nodemailer'); // most services send no e-mail
  const transport = createTransport({
    host: address,
    port,
    secure: tls === 'always',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'never',
    tls: { servername: host, ...(deps.certificate === undefined ? {} : { ca: deps.certificate }) },
    ...(user === undefined || password === undefined ? {} : { auth: { user, pass: password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from,
      to: [...to],
      subject: titleOf(message).slice(0, MAX_SUBJECT),
      text: textOf(message),
      messageId: `<${message.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
      date: new Date(message.at),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Millrace-Incident': message.incident },
    });
  } catch (cause) {
    throw new ChannelError(`The SMTP server has not accepted the message${codeOf(cause)}`, { cause });
  } finally {
    transport.close();
  }
}

/** The code of the reply, which is a number. */
function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'responseCode' in cause ? cause.responseCode : undefined;
  return typeof code === 'number' ? ` (${code})` : '';
}

function textOf({ text, at, watch, group, id }: Message): string {
  const lines = Object.entries(group).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [text, '', `Watch: ${watch}`, ...lines, `Time: ${new Date(at).toISOString()}`, `Id: ${id}`, ''].join(
    '\n',
  );
}
