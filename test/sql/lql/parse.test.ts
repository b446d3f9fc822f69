// The syntax tree of every LQL form.
import { describe, expect, test } from 'vitest';
import { parse } from '../../../src/sql/lql/parse.ts';
import { withoutSpans } from './strip.ts';

function clauses(text: string): unknown {
  const result = parse(text);
  return 'tree' in result ? withoutSpans(result.tree.clauses) : result.findings;
}

const field = (path: string, operator: string, value: unknown, negated = false) => ({
  kind: 'field',
  negated,
  path: { segments: path.split('.') },
  operator,
  values: [{ value }],
});
const anyOf = (path: string, operator: string, ...values: readonly unknown[]) => ({
  ...field(path, operator, undefined),
  values: values.map((value) => ({ value })),
});
const term = (text: string, negated = false) => ({
  kind: 'message',
  negated,
  match: 'contains',
  value: { text },
});
const regex = (text: string, negated = false) => ({
  kind: 'message',
  negated,
  match: 'regex',
  value: { text },
});
const number = (text: string) => ({ kind: 'number', text });
const text = (value: string) => ({ kind: 'text', text: value });
const time = (value: string) => ({ kind: 'time', text: value });
const range = (of: string, from: string, to: string) => ({ kind: 'range', of, from, to });

describe('a query', () => {
  test.each([
    { lql: '', reads: [], why: 'an empty query has no filter' },
    { lql: ' \n\t\r\n ', reads: [], why: 'nor do spaces' },
    { lql: ' a \n\t b ', reads: [term('a'), term('b')], why: 'any run of whitespace separates' },
    { lql: 'a\r\nb', reads: [term('a'), term('b')], why: 'any line ending' },
  ])('$lql: $why', ({ lql, reads }) => {
    expect(clauses(lql)).toEqual(reads);
  });
});

describe('words that are operators elsewhere', () => {
  test.each([
    {
      lql: '"OR" "a AND b" -"NOT"',
      reads: [term('OR'), term('a AND b'), term('NOT', true)],
      why: 'in quotes',
    },
    {
      lql: 'or and not Or',
      reads: ['or', 'and', 'not', 'Or'].map((each) => term(each)),
      why: 'in lower case',
    },
    { lql: 'ORDER a||b !x', reads: ['ORDER', 'a||b', '!x'].map((each) => term(each)), why: 'inside a word' },
    { lql: 'count(*) f(g(x)) f(x', reads: ['count(*)', 'f(g(x))', 'f(x'].map((each) => term(each)) },
    { lql: '"(a)" ~(a|b)', reads: [term('(a)'), regex('(a|b)')], why: 'a regular expression' },
    {
      lql: 'm.x:OR m.y:(a or b) m.z:(OR|b)',
      reads: [
        field('metadata.x', ':', text('OR')),
        field('metadata.y', ':', text('a or b')),
        anyOf('metadata.z', ':', text('OR'), text('b')),
      ],
    },
  ])('$lql $why', ({ lql, reads }) => {
    expect(clauses(lql)).toEqual(reads);
  });
});

describe('a double quote outside of quotes', () => {
  test.each([
    { lql: String.raw`er\"ror`, reads: [term('er"ror')] },
    { lql: String.raw`\"a\" -\"b`, reads: [term('"a"'), term('"b', true)], why: 'at the start as well' },
    { lql: String.raw`~^er\"ror\d`, reads: [regex(String.raw`^er"ror\d`)], why: 'other backslashes stay' },
    { lql: String.raw`a\\"b`, reads: [term(String.raw`a\"b`)], why: 'the backslash before is one character' },
    {
      lql: String.raw`m.x:a\"b m.y:~\"$`,
      reads: [field('metadata.x', ':', text('a"b')), field('metadata.y', ':~', text('"$'))],
    },
    {
      lql: String.raw`m.x:\"5\"`,
      reads: [field('metadata.x', ':', text('"5"'))],
      why: 'the quotes belong to the value',
    },
    { lql: String.raw`m.x:@>\"new`, reads: [field('metadata.x', ':@>', text('"new'))] },
  ])('$lql', ({ lql, reads }) => {
    expect(clauses(lql)).toEqual(reads);
  });
});

describe('clauses', () => {
  test.each([
    { lql: 'f:edge_logs', reads: [{ kind: 'from', table: { text: 'edge_logs' } }] },
    { lql: 'from:_a1', reads: [{ kind: 'from', table: { text: '_a1' } }] },
    { lql: 's:*', reads: [{ kind: 'select' }] },
    { lql: 's:timestamp', reads: [{ kind: 'select', path: { segments: ['timestamp'] } }] },
    {
      lql: 'select:m.user.id@user_id',
      reads: [{ kind: 'select', path: { segments: ['metadata', 'user', 'id'] }, alias: { text: 'user_id' } }],
    },
    { lql: 'c:count(*)', reads: [{ kind: 'aggregate', function: 'count' }] },
    {
      lql: 'chart:p95(metadata.a)',
      reads: [{ kind: 'aggregate', function: 'p95', path: { segments: ['metadata', 'a'] } }],
    },
    ...['countd', 'avg', 'sum', 'min', 'max', 'p50', 'p99'].map((name) => ({
      lql: `c:${name}(x)`,
      reads: [{ kind: 'aggregate', function: name, path: { segments: ['x'] } }],
    })),
    ...['second', 's', 'minute', 'm', 'hour', 'h', 'day', 'd'].map((period, index) => ({
      lql: `c:group_by(${index % 2 === 0 ? 't' : 'timestamp'}::${period})`,
      reads: [{ kind: 'bucket', period: ['second', 'minute', 'hour', 'day'][Math.floor(index / 2)] }],
    })),
    { lql: 'm.a:x', reads: [field('metadata.a', ':', text('x'))], why: 'm. is metadata.' },
    { lql: 'metadata.a:x', reads: [field('metadata.a', ':', text('x'))] },
    { lql: 'm:x', reads: [field('m', ':', text('x'))], why: 'm alone is a column' },
    { lql: 'm.m.a:x', reads: [field('metadata.m.a', ':', text('x'))] },
    { lql: '0a.1:x', reads: [field('0a.1', ':', text('x'))], why: 'segments may start with a digit' },
    { lql: 'c:foo', reads: [field('c', ':', text('foo'))], why: 'not a chart: the field c' },
    { lql: 'c:>5', reads: [field('c', ':>', number('5'))] },
    { lql: '-c:foo', reads: [field('c', ':', text('foo'), true)] },
    { lql: 'chart:foo', reads: [field('chart', ':', text('foo'))] },
    { lql: 'fx:a', reads: [field('fx', ':', text('a'))], why: 'the prefix is the whole word' },
    { lql: 't.a:1', reads: [field('t.a', ':', number('1'))] },
    { lql: 'From:a', reads: [field('From', ':', text('a'))], why: 'keywords are case-sensitive' },
    {
      lql: 'm."user-agent":curl',
      reads: [{ ...field('', ':', text('curl')), path: { segments: ['metadata', 'user-agent'] } }],
      why: 'a name in quotes has any characters',
    },
    {
      lql: String.raw`-"k8s/\"pod\".\\"."a.b":>5`,
      reads: [{ ...field('', ':>', number('5'), true), path: { segments: ['k8s/"pod".\\', 'a.b'] } }],
    },
    { lql: '"t":5', reads: [field('t', ':', number('5'))], why: 'in quotes, no keyword' },
    {
      lql: '"m".x:5',
      reads: [{ ...field('', ':', number('5')), path: { segments: ['m', 'x'] } }],
      why: 'in quotes, not short for metadata',
    },
    {
      lql: 's:m."a b"@c',
      reads: [{ kind: 'select', path: { segments: ['metadata', 'a b'] }, alias: { text: 'c' } }],
    },
    {
      lql: 'c:max(m."a (b)")',
      reads: [{ kind: 'aggregate', function: 'max', path: { segments: ['metadata', 'a (b)'] } }],
    },
    { lql: '"m.x"', reads: [term('m.x')], why: 'without an operator, a term' },
    { lql: 'error', reads: [term('error')] },
    { lql: '-error', reads: [term('error', true)] },
    { lql: '--error', reads: [term('-error', true)], why: 'a single minus negates' },
    { lql: '500', reads: [term('500')], why: 'terms are text' },
    { lql: '-5', reads: [term('5', true)] },
    { lql: 'true', reads: [term('true')] },
    { lql: 'NULL', reads: [term('NULL')] },
    { lql: 'a.b/c(d)', reads: [term('a.b/c(d)')] },
    { lql: ':a', reads: [term(':a')] },
    { lql: 'a-b:c', reads: [term('a-b:c')], why: 'an invalid path is not a field' },
    { lql: 'm.a', reads: [term('m.a')], why: 'without an operator, not a field' },
    { lql: '"sign up"', reads: [term('sign up')] },
    { lql: '"m.a:1"', reads: [term('m.a:1')] },
    { lql: '""', reads: [term('')] },
    { lql: '-"a b"', reads: [term('a b', true)] },
    { lql: '~^debug', reads: [regex('^debug')] },
    { lql: '-~^debug', reads: [regex('^debug', true)] },
    { lql: '~"(?i)panic now"', reads: [regex('(?i)panic now')] },
    { lql: '~(?i)a:b', reads: [regex('(?i)a:b')] },
  ])('$lql', ({ lql, reads }) => {
    expect(clauses(lql)).toEqual(reads);
  });
});

describe('operators', () => {
  test.each([':', ':>', ':>=', ':<', ':<='])('%s compares', (operator) => {
    expect(clauses(`x${operator}1`)).toEqual([field('x', operator, number('1'))]);
  });

  test.each([
    { lql: 'x:~^a.*b$', reads: field('x', ':~', text('^a.*b$')) },
    { lql: 'x:~500', reads: field('x', ':~', text('500')), why: 'a regular expression is text' },
    { lql: 'x:~1..2', reads: field('x', ':~', text('1..2')) },
    { lql: 'x:@>a', reads: field('x', ':@>', text('a')) },
    { lql: 'x:@>5', reads: field('x', ':@>', number('5')) },
    { lql: 'x:@>true', reads: field('x', ':@>', { kind: 'boolean', value: true }) },
    { lql: 'x:@>"a b"', reads: field('x', ':@>', text('a b')) },
    { lql: 'x:@>~^pop', reads: field('x', ':@>~', text('^pop')) },
    { lql: '-x:@>~^pop', reads: field('x', ':@>~', text('^pop'), true) },
  ])('$lql', ({ lql, reads }) => {
    expect(clauses(lql)).toEqual([reads]);
  });
});

describe('values', () => {
  test.each([
    { value: '500', reads: number('500') },
    { value: '-5', reads: number('-5') },
    { value: '1.5', reads: number('1.5') },
    { value: '007', reads: number('007') },
    { value: '1e5', reads: text('1e5'), why: 'could be a name' },
    { value: '.5', reads: text('.5') },
    { value: '5.', reads: text('5.') },
    { value: '5ms', reads: text('5ms') },
    { value: 'true', reads: { kind: 'boolean', value: true } },
    { value: 'false', reads: { kind: 'boolean', value: false } },
    { value: 'True', reads: text('True') },
    { value: 'NULL', reads: { kind: 'null' } },
    { value: 'NULLS', reads: text('NULLS') },
    { value: 'null', reads: text('null') },
    { value: '"01234"', reads: text('01234'), why: 'quoted is always text' },
    { value: '"true"', reads: text('true') },
    { value: '"NULL"', reads: text('NULL') },
    { value: '"1..2"', reads: text('1..2') },
    { value: '""', reads: text('') },
    { value: '"a b"', reads: text('a b') },
    { value: '"a\nb"', reads: text('a\nb') },
    { value: String.raw`"a \"b\" \\ \d \n"`, reads: text(String.raw`a "b" \ \d \n`) },
    { value: String.raw`"\\"`, reads: text('\\') },
    { value: '(a b)', reads: text('a b') },
    { value: '(500)', reads: text('500'), why: 'parentheses quote text' },
    { value: '("a")', reads: text('a'), why: 'a list of one' },
    { value: '/a|b', reads: text('/a|b'), why: 'not all are values' },
    { value: 'a||b', reads: text('a||b') },
    { value: '(a)b', reads: text('(a)b'), why: 'no space, so it is one bare value' },
    { value: '10.0.0.1', reads: text('10.0.0.1') },
    { value: 'abc-def', reads: text('abc-def') },
    { value: '/rest/v1', reads: text('/rest/v1') },
    { value: '550e8400-e29b-41d4-a716-446655440000', reads: text('550e8400-e29b-41d4-a716-446655440000') },
    { value: 'a:b', reads: text('a:b') },
    { value: '@home', reads: text('@home') },
    { value: '-abc', reads: text('-abc') },
    { value: 'é😀', reads: text('é😀') },
    { value: '2024-01-01', reads: time('2024-01-01') },
    { value: '2024-01-01T00:00:00Z', reads: time('2024-01-01T00:00:00Z') },
    { value: '2023-02-30', reads: time('2023-02-30'), why: 'a string column may contain it' },
    { value: '2024-1-1', reads: text('2024-1-1') },
    { value: '50..200', reads: range('number', '50', '200') },
    { value: '-2..-1', reads: range('number', '-2', '-1') },
    { value: '30.1..300.1', reads: range('number', '30.1', '300.1') },
    { value: '5..5', reads: range('number', '5', '5') },
    { value: '2024-01-01..2024-02-01', reads: range('time', '2024-01-01', '2024-02-01') },
    { value: '/a/../b', reads: text('/a/../b'), why: 'neither end is valid' },
    { value: '../etc', reads: text('../etc') },
    { value: 'wait...', reads: text('wait...') },
  ])('m.x:$value', ({ value, reads }) => {
    expect(clauses(`m.x:${value}`)).toEqual([field('metadata.x', ':', reads)]);
  });

  test.each(['metadata.level', 'm.level'])('%s accepts levels', (path) => {
    expect(clauses(`${path}:notice..warning`)).toEqual([
      field('metadata.level', ':', range('level', 'notice', 'warning')),
    ]);
  });

  test('an expression that starts with a group needs no quotes', () => {
    expect(clauses('m.x:~(?i)panic m.y:~(a|b) m.z:~(a(b|c))')).toEqual([
      field('metadata.x', ':~', text('(?i)panic')),
      field('metadata.y', ':~', text('a|b')),
      field('metadata.z', ':~', text('(a(b|c))')),
    ]);
  });
});

describe('several values', () => {
  test.each([
    { value: '(500|503)', reads: [number('500'), number('503')] },
    { value: '( 500 | 503 )', reads: [number('500'), number('503')], why: 'with spaces around them' },
    { value: '(500\n|503)', reads: [number('500'), number('503')] },
    { value: '(404|500..599)', reads: [number('404'), range('number', '500', '599')] },
    {
      value: '(NULL|"NULL"|true|"5")',
      reads: [{ kind: 'null' }, text('NULL'), { kind: 'boolean', value: true }, text('5')],
    },
    {
      value: '("a b"|"c|d"|"e)")',
      reads: [text('a b'), text('c|d'), text('e)')],
      why: 'in quotes, anything',
    },
    { value: String.raw`("a\"b"|c\"d|\"e)`, reads: [text('a"b'), text('c"d'), text('"e')] },
    {
      value: '(2024-01-01|2024-02-01..2024-03-01)',
      reads: [time('2024-01-01'), range('time', '2024-02-01', '2024-03-01')],
    },
    {
      value: '(/rest/v1|10.0.0.1|a:b|-c)',
      reads: ['/rest/v1', '10.0.0.1', 'a:b', '-c'].map((each) => text(each)),
    },
    { value: '(a|a)', reads: [text('a'), text('a')] },
    { value: '(""|x)', reads: [text(''), text('x')] },
  ])('m.x:$value', ({ value, reads }) => {
    expect(clauses(`m.x:${value}`)).toEqual([anyOf('metadata.x', ':', ...reads)]);
  });

  test.each([
    {
      lql: 'm.level:(debug|warning..error)',
      reads: anyOf('metadata.level', ':', text('debug'), range('level', 'warning', 'error')),
    },
    { lql: '-m.x:(a|b)', reads: { ...anyOf('metadata.x', ':', text('a'), text('b')), negated: true } },
    { lql: 'm.x:@>(a|5)', reads: anyOf('metadata.x', ':@>', text('a'), number('5')) },
    { lql: 'm.x:~(a|b)', reads: field('metadata.x', ':~', text('a|b')), why: 'one regular expression' },
    { lql: 'm.x:@>~(a|b)', reads: field('metadata.x', ':@>~', text('a|b')) },
    { lql: 'm.x:>(5)', reads: field('metadata.x', ':>', text('5')) },
  ])('$lql', ({ lql, reads }) => {
    expect(clauses(lql)).toEqual([reads]);
  });

  test('are at most 100', () => {
    const [clause] = clauses(
      `m.x:(${Array.from({ length: 100 }, (_, index) => index).join('|')})`,
    ) as readonly [{ values: readonly unknown[] }]; // the one clause
    expect(clause.values).toHaveLength(100);
  });

  test('have their locations', () => {
    expect(parse('m.x:(a| "b")')).toMatchObject({
      tree: {
        clauses: [
          {
            span: { start: 0, end: 12 },
            values: [{ span: { start: 5, end: 6 } }, { span: { start: 8, end: 11 } }],
          },
        ],
      },
    });
  });
});

describe('examples', () => {
  test.each([
    { lql: 'error', reads: [term('error')] },
    { lql: 'database "sign up" -timeout', reads: [term('database'), term('sign up'), term('timeout', true)] },
    { lql: '~"(?i)panic" -~^debug', reads: [regex('(?i)panic'), regex('^debug', true)] },
    {
      lql: 'm.response.status_code:>=500 t:last@1h',
      reads: [
        field('metadata.response.status_code', ':>=', number('500')),
        expect.objectContaining({ kind: 'timestamp', value: { kind: 'last', count: 1, unit: 'hour' } }),
      ],
    },
    {
      lql: '-m.int:>=100 m.tags:@>popular m.tags:@>~^pop',
      reads: [
        field('metadata.int', ':>=', number('100'), true),
        field('metadata.tags', ':@>', text('popular')),
        field('metadata.tags', ':@>~', text('^pop')),
      ],
    },
    {
      lql: 'f:auth_logs s:timestamp s:m.user.id@user_id m.level:error',
      reads: [
        { kind: 'from', table: { text: 'auth_logs' } },
        { kind: 'select', path: { segments: ['timestamp'] } },
        { kind: 'select', path: { segments: ['metadata', 'user', 'id'] }, alias: { text: 'user_id' } },
        field('metadata.level', ':', text('error')),
      ],
    },
    {
      lql: 'f:edge_logs c:p95(m.response.origin_time) c:group_by(t::hour) m.request.method:GET',
      reads: [
        { kind: 'from', table: { text: 'edge_logs' } },
        { kind: 'aggregate', function: 'p95', path: { segments: ['metadata', 'response', 'origin_time'] } },
        { kind: 'bucket', period: 'hour' },
        field('metadata.request.method', ':', text('GET')),
      ],
    },
    {
      lql: 'metadata.level:warning..emergency t:2024-03-{01..07}',
      reads: [
        field('metadata.level', ':', range('level', 'warning', 'emergency')),
        expect.objectContaining({ kind: 'timestamp', value: expect.objectContaining({ kind: 'range' }) }),
      ],
    },
  ])('$lql', ({ lql, reads }) => {
    expect(clauses(lql)).toEqual(reads);
  });
});

describe('locations', () => {
  test('every part has its location', () => {
    const result = parse('a -m.x:>=5 s:y@z');
    expect(result).toMatchObject({
      tree: {
        clauses: [
          { span: { start: 0, end: 1 }, value: { span: { start: 0, end: 1 } } },
          {
            span: { start: 2, end: 10 },
            path: { span: { start: 3, end: 6 } },
            values: [{ span: { start: 9, end: 10 } }],
          },
          {
            span: { start: 11, end: 16 },
            path: { span: { start: 13, end: 14 } },
            alias: { span: { start: 15, end: 16 } },
          },
        ],
      },
    });
  });
});

describe('limits', () => {
  test('100 clauses are accepted', () => {
    const result = parse(Array.from({ length: 100 }, (_, i) => `m.a:${i}`).join(' '));
    expect('tree' in result && result.tree.clauses).toHaveLength(100);
  });

  test('65,536 characters are accepted', () => {
    const long = 'x'.repeat(65_536);
    expect(clauses(long)).toEqual([term(long)]);
  });

  test('the end of a broken list is found in one pass', () => {
    for (const piece of ['\\"x"', '"x\\"', '\\\\"', '" \\"'])
      expect(parse(`m.a:(x y ${piece.repeat(5000)}`)).toHaveProperty('findings');
  });
});
