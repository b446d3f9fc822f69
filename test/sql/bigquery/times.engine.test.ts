// Times in BigQuery SQL: literals, patterns in both directions, arithmetic, zones.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLab, type Lab } from './lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

/** Evaluates expressions over the row e4, whose timestamp is 2024-05-01T10:20:00.25Z. */
async function valuesOf(expressions: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const list = expressions.map((each, index) => `${each} as c${index}`);
  const [row] = await lab.rows(`select ${list.join(', ')} from edge_logs where id = 'e4'`);
  const values = row as Readonly<Record<string, unknown>>; // one JSON object
  return Object.fromEntries(expressions.map((each, index) => [each, values[`c${index}`]]));
}

const AT = '2026-11-19T10:00:00Z';
/** As a string that is only known per row. */
const text = (written: string): string => `concat('${written}', substr(id, 3))`;

describe('strings as times', () => {
  const FORMS: readonly (readonly [written: string, time: string])[] = [
    ['2026-11-19T10:00:00.000Z', AT],
    ['2026-11-19T10:00:00Z', AT],
    ['2026-11-19T12:00:00+02:00', AT],
    ['2026-11-19 04:30:00-0530', AT],
    ['2026-11-19 12:00:00+02', AT],
    ['2026-11-19 10:00:00 UTC', AT],
    ['2026-11-19 10:00:00', AT],
    ['2026-11-19T10:00', AT],
    ['2026-11-19T10:00:00.5Z', '2026-11-19T10:00:00.5Z'],
    ['2026-11-19T10:00:00.123456789Z', '2026-11-19T10:00:00.123456Z'],
    ['2026-11-19', '2026-11-19T00:00:00Z'],
    ['2026-11-19 11:00:00 Europe/Berlin', AT],
  ];
  test('as literals', async () => {
    const forms = ([written]: (typeof FORMS)[number]) => [
      `timestamp('${written}')`,
      `cast('${written}' as timestamp)`,
      `timestamp '${written}'`,
      `datetime('${written}')`,
    ];
    const values = await valuesOf(FORMS.flatMap(forms));
    const want = FORMS.flatMap((form) => forms(form).map((each) => [each, form[1]]));
    expect(normal(values)).toEqual(normal(Object.fromEntries(want)));
  });

  test('the years 1 to 9999', async () => {
    const values = await valuesOf(["string(timestamp '0050-01-01')", "string(timestamp '9999-12-31')"]);
    expect(Object.values(values).map((value) => String(value).slice(0, 10))).toEqual([
      '0050-01-01',
      '9999-12-31',
    ]);
  });

  test.each([
    '2026-02-29',
    '2026-11-19 24:00:00',
    '2026-11-19T10:00:00+24:00',
    '0000-01-01',
    '9999-12-31 23:00:00-05:00',
  ])('%s is not a time', async (written) => {
    await expect(valuesOf([`timestamp '${written}'`])).rejects.toThrow('is not a valid time');
  });

  test('as values of rows', async () => {
    const known = FORMS.filter(([written]) => !written.includes('/'));
    const forms = ([written]: (typeof FORMS)[number]) => [
      `timestamp(${text(written)})`,
      `cast(${text(written)} as timestamp)`,
      `safe_cast(${text(written)} as timestamp)`,
    ];
    const values = await valuesOf(known.flatMap(forms));
    const want = known.flatMap((form) => forms(form).map((each) => [each, form[1]]));
    expect(normal(values)).toEqual(normal(Object.fromEntries(want)));
  });
});

/** Times without zeros at the end of the fraction. */
function normal(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string'
      ? value
          .replace(' ', 'T')
          .replace(/(\.\d*?)0+(?=Z?$)/, '$1')
          .replace(/\.?Z?$/, '')
      : value,
  ]);
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>; // the same names
}

describe('patterns', () => {
  const PARSED: readonly (readonly [pattern: string, written: string, time: string, zone?: string])[] = [
    ['%Y-%m-%dT%H:%M:%E*S%Ez', '2026-11-19T12:00:00.123456+02:00', '2026-11-19T10:00:00.123456Z'],
    ['%Y-%m-%dT%H:%M:%E*S%Ez', '2026-11-19T12:00:00+02:00', AT],
    ['%Y-%m-%dT%H:%M:%E*S%Ez', '2026-11-19T10:00:00.5Z', '2026-11-19T10:00:00.5Z'],
    ['%Y-%m-%dT%H:%M:%SZ', '2026-11-19T10:00:00Z', AT],
    ['%Y-%m-%dT%H:%M:%E3SZ', '2026-11-19T10:00:00.250Z', '2026-11-19T10:00:00.25Z'],
    ['%FT%T%Ez', '2026-11-19T04:30:00-05:30', AT],
    ['%FT%TZ', '2026-11-19T10:00:00Z', AT],
    ['%FT%H:%M:%E6S', '2026-11-19T10:00:00.000001', '2026-11-19T10:00:00.000001Z'],
    ['%F %T', '2026-11-19 10:00:00', AT],
    ['%F %T%z', '2026-11-19 12:00:00+0200', AT],
    ['%F %T %Z', '2026-11-19 10:00:00 UTC', AT],
    ['%F %R', '2026-11-19 10:00', AT],
    ['%F', '2026-11-19', '2026-11-19T00:00:00Z'],
    ['%Y-%m', '2026-11', '2026-11-01T00:00:00Z'],
    ['%Y%m%d%H%M%S', '20261119100000', AT],
    ['%d/%m/%Y %H:%M', '19/11/2026 10:00', AT],
    ['%d/%b/%Y:%H:%M:%S %z', '19/Nov/2026:12:00:00 +0200', AT],
    ['%a, %d %b %Y %T GMT', 'Thu, 19 Nov 2026 10:00:00 GMT', AT],
    ['%B %e, %Y %I:%M %p', 'November 19, 2026 10:00 PM', '2026-11-19T22:00:00Z'],
    ['%F %I:%M:%S %p', '2026-11-19 12:00:00 AM', '2026-11-19T00:00:00Z'],
    ['%s', '1795082400', '2026-11-19T10:00:00Z'],
    ['%F %T', '2026-11-19 11:00:00', AT, 'Europe/Berlin'],
    ['%F %T', '2026-11-19 15:30:00', AT, '+05:30'],
    ['%F %T%Ez', '2026-11-19 10:00:00Z', AT, 'Europe/Berlin'],
    ['[%F] (%T) 100%%', '[2026-11-19] (10:00:00) 100%', AT],
    ['%j/%Y', '323/2026', '2026-11-19T00:00:00Z'],
  ];
  const call = (name: string, [pattern, , , zone]: (typeof PARSED)[number], argument: string) =>
    `${name}('${pattern}', ${argument}${zone === undefined ? '' : `, '${zone}'`})`;

  test('parse literals and values of rows', async () => {
    const forms = (form: (typeof PARSED)[number]) => [
      call('parse_timestamp', form, `'${form[1]}'`),
      call('parse_timestamp', form, text(form[1])),
      call('safe.parse_timestamp', form, text(form[1])),
    ];
    const want = PARSED.flatMap((form) => forms(form).map((each) => [each, form[2]]));
    expect(normal(await valuesOf(PARSED.flatMap(forms)))).toEqual(normal(Object.fromEntries(want)));
  });

  test('parse dates and datetimes', async () => {
    expect(
      await valuesOf([
        "parse_date('%d.%m.%Y', '19.11.2026')",
        "parse_date('%F', substr(cast(timestamp as string), 1, 10))",
        "format_datetime('%F %T', parse_datetime('%FT%H:%M:%E*S', '2026-11-19T10:00:00.5'))",
      ]),
    ).toEqual({
      "parse_date('%d.%m.%Y', '19.11.2026')": '2026-11-19',
      "parse_date('%F', substr(cast(timestamp as string), 1, 10))": '2024-05-01',
      "format_datetime('%F %T', parse_datetime('%FT%H:%M:%E*S', '2026-11-19T10:00:00.5'))":
        '2026-11-19 10:00:00',
    });
  });

  test('reject what they do not match', async () => {
    expect(
      await valuesOf([
        `safe.parse_timestamp('%F', ${text('19.11.2026')})`,
        "safe.parse_timestamp('%F', 'x')",
        "parse_timestamp('%F', cast(null as string))",
      ]),
    ).toEqual({
      [`safe.parse_timestamp('%F', ${text('19.11.2026')})`]: null,
      "safe.parse_timestamp('%F', 'x')": null,
      "parse_timestamp('%F', cast(null as string))": null,
    });
    const wrong = "select parse_timestamp('%FT%T', '2026-11-19 10:00:00') from edge_logs";
    expect(() => lab.translate(wrong)).toThrow(expect.objectContaining({ code: 'bigquery.syntax_invalid' }));
    await expect(lab.rows(`select parse_timestamp('%F', id) from edge_logs`)).rejects.toThrow(/DateTime/);
    expect(() => lab.translate("select parse_timestamp('%U', id) from edge_logs")).toThrow(
      expect.objectContaining({ code: 'bigquery.unsupported' }),
    );
  });

  test('format', async () => {
    const time = "timestamp '2026-11-19 10:00:00.12'";
    const want: Readonly<Record<string, string>> = {
      [`format_timestamp('%Y-%m-%dT%H:%M:%E*S%Ez', ${time})`]: '2026-11-19T10:00:00.12+00:00',
      [`format_timestamp('%FT%H:%M:%E3SZ', ${time})`]: '2026-11-19T10:00:00.120Z',
      [`format_timestamp('%E6S %E9S %E1S %E0S', ${time})`]: '00.120000 00.120000000 00.1 00',
      [`format_timestamp('%E*S', timestamp '2026-11-19 10:00:00')`]: '00',
      [`format_timestamp('%E*S', timestamp '2026-11-19 10:00:30')`]: '30',
      [`format_timestamp('%FT%T%Ez', ${time}, 'Asia/Kolkata')`]: '2026-11-19T15:30:00+05:30',
      [`format_timestamp('%F %T %z %Z', ${time})`]: '2026-11-19 10:00:00 +0000 UTC',
      [`format_timestamp('%T %Z', ${time}, 'America/New_York')`]: '05:00:00 UTC-5',
      [`format_timestamp('%T %Z', ${time}, '+05:30')`]: '15:30:00 UTC+5:30',
      [`format_timestamp('%s', ${time})`]: '1795082400',
      [`format_timestamp('%a %b %e %I:%M %p %P %%', ${time})`]: 'Thu Nov 19 10:00 AM am %',
      [`format_timestamp('%c | %r', ${time})`]: 'Thu Nov 19 10:00:00 2026 | 10:00:00 AM',
      [`format_date('%F %s', date '2026-11-19')`]: '2026-11-19 %s', // a date has no such element
      [`format_timestamp('', ${time})`]: '',
    };
    expect(await valuesOf(Object.keys(want))).toEqual(want);
  });
});

test('arithmetic', async () => {
  const time = "timestamp '2026-11-19 10:20:30.123456'";
  const moved = (name: string, unit: string) => `${name}(${time}, interval 1 ${unit})`;
  const cut = (unit: string, zone = '') => `timestamp_trunc(${time}, ${unit}${zone})`;
  const diff = (unit: string) =>
    `timestamp_diff(timestamp '2026-11-21 10:20:30.5Z', timestamp '2026-11-19T12:20:30+02:00', ${unit})`;
  const want: Readonly<Record<string, unknown>> = {
    [moved('timestamp_add', 'microsecond')]: '2026-11-19T10:20:30.123457Z',
    [moved('timestamp_add', 'millisecond')]: '2026-11-19T10:20:30.124456Z',
    [moved('timestamp_sub', 'second')]: '2026-11-19T10:20:29.123456Z',
    [moved('timestamp_add', 'minute')]: '2026-11-19T10:21:30.123456Z',
    [moved('timestamp_sub', 'hour')]: '2026-11-19T09:20:30.123456Z',
    [moved('timestamp_add', 'day')]: '2026-11-20T10:20:30.123456Z',
    [moved('datetime_sub', 'month')]: '2026-10-19T10:20:30.123456Z',
    "timestamp_sub('2026-11-19T12:00:00+02:00', interval 90 minute)": '2026-11-19T08:30:00Z',
    [cut('microsecond')]: '2026-11-19T10:20:30.123456Z',
    [cut('millisecond')]: '2026-11-19T10:20:30.123Z',
    [cut('second')]: '2026-11-19T10:20:30Z',
    [cut('minute')]: '2026-11-19T10:20:00Z',
    [cut('hour')]: '2026-11-19T10:00:00Z',
    [cut('day')]: '2026-11-19T00:00:00Z',
    [cut('week')]: '2026-11-15T00:00:00Z',
    [cut('week(monday)')]: '2026-11-16T00:00:00Z',
    [cut('week(thursday)')]: '2026-11-19T00:00:00Z',
    [cut('week(friday)')]: '2026-11-13T00:00:00Z',
    [cut('isoweek')]: '2026-11-16T00:00:00Z',
    [cut('month')]: '2026-11-01T00:00:00Z',
    [cut('quarter')]: '2026-10-01T00:00:00Z',
    [cut('year')]: '2026-01-01T00:00:00Z',
    [cut('isoyear')]: '2025-12-29T00:00:00Z',
    [cut('hour', ", '+05:30'")]: '2026-11-19T09:30:00Z',
    [cut('day', ", 'Europe/Berlin'")]: '2026-11-18T23:00:00Z',
    [cut('month', ", 'America/New_York'")]: '2026-11-01T04:00:00Z',
    [`format_timestamp('%F %T', ${cut('day', ", 'Europe/Berlin'")})`]: '2026-11-18 23:00:00',
    [`extract(hour from ${cut('day', ", 'Europe/Berlin'")})`]: 23,
    [`extract(hour from ${time} at time zone '+05:30')`]: 15,
    [`extract(millisecond from ${time})`]: 123,
    [diff('microsecond')]: 172_800_500_000,
    [diff('millisecond')]: 172_800_500,
    [diff('second')]: 172_800,
    [diff('minute')]: 2880,
    [diff('hour')]: 48,
    [diff('day')]: 2,
    [`unix_seconds(${time})`]: 1_795_083_630,
    [`unix_millis(${time})`]: 1_795_083_630_123,
    [`unix_micros(${time})`]: 1_795_083_630_123_456,
    "unix_seconds('1960-01-01T00:00:00Z')": -315_619_200,
    'timestamp_seconds(1795083630)': '2026-11-19T10:20:30Z',
    'timestamp_millis(1795083630123)': '2026-11-19T10:20:30.123Z',
    'timestamp_micros(1795083630123456)': '2026-11-19T10:20:30.123456Z',
  };
  expect(normal(await valuesOf(Object.keys(want)))).toEqual(normal(want));
});
