import { expect, test } from 'vitest';
import type { DeclaredParameter } from '../../../src/service/params/declared.ts';
import { compileParameter } from '../../../src/service/params/parameter.ts';

test.each<[why: string, spec: DeclaredParameter, placeholder: string, absent: string | null]>([
  ['optional', { type: 'String' }, 'Nullable(String)', null],
  ['required', { type: 'String', required: true }, 'String', null],
  ['with a default', { type: 'UInt8', default: 5 }, 'UInt8', '5'],
  ['an empty default', { type: 'String', default: '' }, 'String', ''],
  ['an optional time', { type: 'DateTime64(6)' }, "Nullable(DateTime64(6, 'UTC'))", null],
  ['a list with a default', { type: 'Array(UInt8)', default: [1, 2] }, 'Array(UInt8)', '[1,2]'],
  ['a default inside its enum', { type: 'String', enum: ['a'], default: 'a' }, 'String', 'a'],
])('%s', (_why, spec, placeholder, absent) => {
  expect(compileParameter('p', spec).parameter).toMatchObject({ placeholder, absent });
});

test.each<[why: string, spec: DeclaredParameter, findings: [path: string, code: string][]]>([
  ['an unknown type', { type: 'Strng' }, [['type', 'type_unknown']]],
  ['an optional list', { type: 'Array(String)' }, [['type', 'array_optional']]],
  ['a default of another type', { type: 'UInt8', default: 'x' }, [['default', 'default_invalid']]],
  ['a list as default of one value', { type: 'String', default: ['x'] }, [['default', 'default_invalid']]],
  [
    'a default outside the enum',
    { type: 'String', enum: ['a'], default: 'b' },
    [['default', 'default_invalid']],
  ],
  [
    'a default that is never used',
    { type: 'String', required: true, default: 'b' },
    [['default', 'default_unused']],
  ],
  [
    'enum values of another type',
    { type: 'UInt8', enum: [1, 300, 'x'] },
    [
      ['enum.1', 'enum_invalid'],
      ['enum.2', 'enum_invalid'],
    ],
  ],
  ['the same enum value twice', { type: 'UInt8', enum: [1, '01'] }, [['enum.1', 'enum_duplicate']]],
  ['a pattern of another syntax', { type: 'String', pattern: '(?=a)' }, [['pattern', 'pattern_invalid']]],
  ['a pattern for a number', { type: 'UInt8', pattern: '1' }, [['pattern', 'constraint_misplaced']]],
  ['min for a string', { type: 'String', min: 1 }, [['min', 'constraint_misplaced']]],
  [
    'lengths for a number',
    { type: 'UInt8', min_length: 1, max_length: 2 },
    [
      ['min_length', 'constraint_misplaced'],
      ['max_length', 'constraint_misplaced'],
    ],
  ],
  ['min of another type', { type: 'Date', min: 5 }, [['min', 'bound_invalid']]],
  ['min above max', { type: 'UInt8', min: 5, max: 4 }, [['min', 'range_empty']]],
  [
    'min_length above max_length',
    { type: 'String', min_length: 5, max_length: 4 },
    [['min_length', 'range_empty']],
  ],
  [
    'all at once',
    { type: 'UInt8', min: -1, pattern: 'a', default: 'b' },
    [
      ['pattern', 'constraint_misplaced'],
      ['min', 'bound_invalid'],
      ['default', 'default_invalid'],
    ],
  ],
])('finding: %s', (_why, spec, findings) => {
  const seen = compileParameter('p', spec).findings?.map((f) => [f.path.join('.'), f.code]);
  expect(seen).toEqual(findings.map(([path, code]) => [path, `parameter.${code}`]));
});

test('a pattern takes linear time', () => {
  const { parameter } = compileParameter('p', { type: 'String', pattern: '(a+)+b' });
  expect(parameter?.read('a'.repeat(5000)).kind).toBe('failure');
});

test('a regular expression may have so many steps, and all of a list together', () => {
  const one = compileParameter('p', { type: 'String', format: 'regex' }).parameter;
  const many = compileParameter('p', { type: 'Array(String)', format: 'regex', required: true }).parameter;
  const large = 'a{1000}'.repeat(9);
  const tooLarge = {
    kind: 'failure',
    message: expect.stringMatching(/^must be a smaller regular expression/),
  };
  expect(one?.read(large)).toMatchObject({ kind: 'value' });
  expect(one?.read(large)).toMatchObject({ kind: 'value' }); // each value by itself
  expect(one?.read(large.repeat(2))).toEqual(tooLarge);
  expect(one?.read(`(?:${'.'.repeat(985)}){1000}`)).toEqual(tooLarge);
  expect(many?.read([large, 'a', '(?i)b'])).toMatchObject({ kind: 'value' });
  expect(many?.read([large, large])).toMatchObject({
    kind: 'failure',
    message: expect.stringMatching(/^must be a smaller .* \(element 2\)$/),
  });
  expect(many?.read(['(']).kind).toBe('failure');
});
