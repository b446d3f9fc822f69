// Redacts 1,000 rows of 1.1 KB and strings built to be slow, compared with regular expressions.
import { createRedactor } from '../../../src/guard/redact/redactor.ts';
import { runMeasurements } from './measurements.ts';

const row = (n: number): string =>
  JSON.stringify({
    id: `8f14e45f-ceea-467f-a8d4-${String(n).padStart(12, '0')}`,
    timestamp: '2024-03-01T12:34:56.123456Z',
    event_message: `GET 200 203.0.113.${n % 256} https://abc.example.com/rest/v1/items?page=${n} "Mozilla/5.0 (X11) Chrome/120.0.0.0"`,
    metadata: {
      request: {
        method: 'GET',
        path: '/rest/v1/items',
        headers: { x_real_ip: `2001:db8::${n.toString(16)}` },
      },
      response: {
        status_code: 200,
        origin_time: 12,
        headers: { date: '12:34:56', etag: 'd41d8cd98f00b204e9800998' },
      },
      auth_user: n % 5 === 0 ? `user${n}@example.com` : null,
      trace: 'lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy '.repeat(8),
    },
  });
const rows = Buffer.from(Array.from({ length: 1000 }, (_, n) => `${row(n)}\n`).join(''));
const hostile = [
  'a.'.repeat(25_000),
  'a@'.repeat(25_000),
  ':'.repeat(50_000),
  '1:'.repeat(25_000),
  '1.'.repeat(25_000),
];
const hostileRows = hostile.map((text) => Buffer.from(`${JSON.stringify({ text })}\n`));
const redactor = createRedactor({});
const all = createRedactor({ detectors: ['ip', 'email', 'token', 'api_key', 'card', 'iban', 'phone'] });

const REGEXES = [
  /\b(?:\d{1,3}\.){3}\d{1,3}\b/g,
  /(?:[0-9a-fA-F]{1,4}:){2,7}[0-9a-fA-F]{0,4}|(?:[0-9a-fA-F]{0,4}:){1,7}:[0-9a-fA-F]{0,4}/g,
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g,
];

await runMeasurements({
  regexes: () => REGEXES.reduce((text, regex) => text.replace(regex, 'REDACTED'), rows.toString()),
  scanner: () => redactor.redactLines(rows),
  every: () => all.redactLines(rows),
  hostile: () => hostileRows.map((line) => all.redactLines(line)),
});
