// Reasons in endpoint files: which changes they allow, and findings about those that allow none.
import { describe, expect, test } from 'vitest';
import { CHANGES } from '../../../src/cli/compare/changes.ts';
import { keyFor, reasonFindings } from '../../../src/cli/compare/reasons.ts';
import { changesBetween, compareFiles, fileOf, type Keys } from './fixture.ts';

const BASE: Keys = {
  query: 'SELECT a FROM logs.t WHERE p = @p AND q = @q',
  parameters: '{ p: { type: String, required: true }, q: { type: String, required: true } }',
  max_rows: '100',
  pii: '{ redact: true }',
};
const FEWER = { max_rows: '50' } as const;
const OPEN = { pii: '{ redact: false }' } as const;
const ALLOW = { allow: '{ max_rows.lowered: agreed }' } as const;

interface Row {
  readonly why: string;
  readonly before?: Keys;
  readonly after: Keys;
  /** `code: reason`, `code: -` for a change that is not allowed, `code` for one that needs no reason. */
  readonly gives: readonly string[];
  readonly says?: RegExp;
}

const ROWS: readonly Row[] = [
  { why: 'no reason', after: FEWER, gives: ['max_rows.lowered: -'] },
  { why: 'a reason', after: { ...FEWER, ...ALLOW }, gives: ['max_rows.lowered: agreed'] },
  {
    why: 'a reason of another code',
    after: { ...FEWER, allow: '{ column.removed: agreed }' },
    gives: ['max_rows.lowered: -', 'reason.unused'],
  },
  {
    why: 'one of two codes',
    after: { ...FEWER, int64: 'string', ...ALLOW },
    gives: ['int64.changed: -', 'max_rows.lowered: agreed'],
  },
  {
    why: 'a security change with a reason for a breaking one',
    after: { ...FEWER, ...OPEN, ...ALLOW },
    gives: ['redaction.removed: -', 'max_rows.lowered: agreed'],
  },
  {
    why: 'a security change with its code',
    after: { ...OPEN, allow_security: '{ redaction.removed: no names }' },
    gives: ['redaction.removed: no names'],
  },
  {
    why: 'a security change with the code under allow',
    after: { ...OPEN, allow: '{ redaction.removed: no names }' },
    gives: ['redaction.removed: -'],
    says: /the reason is in allow: write it in allow_security/,
  },
  {
    why: 'a breaking change with the code under allow_security',
    after: { ...FEWER, allow_security: '{ max_rows.lowered: agreed }' },
    gives: ['max_rows.lowered: -'],
    says: /the reason is in allow_security: write it in allow\b/,
  },
  {
    why: 'the old key',
    after: { ...FEWER, allow_breaking: 'agreed' },
    gives: ['max_rows.lowered: -'],
  },
  {
    why: 'the reason that the file had before',
    before: ALLOW,
    after: { ...FEWER, ...ALLOW },
    gives: ['max_rows.lowered: -'],
    says: /the reason in allow is of an earlier change/,
  },
  {
    why: 'the same with other spaces',
    before: ALLOW,
    after: { ...FEWER, allow: '{ max_rows.lowered: " agreed " }' },
    gives: ['max_rows.lowered: -'],
    says: /of an earlier change/,
  },
  {
    why: 'another reason than before',
    before: ALLOW,
    after: { ...FEWER, allow: '{ max_rows.lowered: agreed again }' },
    gives: ['max_rows.lowered: agreed again'],
  },
  {
    why: 'the reason of another code before',
    before: { allow: '{ column.removed: agreed }' },
    after: { ...FEWER, ...ALLOW },
    gives: ['max_rows.lowered: agreed'],
  },
  {
    why: 'a reason that stayed in the file, beside another change',
    before: ALLOW,
    after: { ...ALLOW, max_rows: '200' },
    gives: ['max_rows.raised', 'reason.stale'],
  },
  { why: 'a reason that stayed in the file', before: ALLOW, after: ALLOW, gives: [] },
  { why: 'a reason that was removed', before: ALLOW, after: {}, gives: [] },
  { why: 'a reason for nothing', after: ALLOW, gives: ['reason.unused'] },
  {
    why: 'a reason for a change that needs none',
    after: { max_rows: '200', allow: '{ max_rows.raised: agreed }' },
    gives: ['max_rows.raised'],
  },
  {
    why: 'names of every object',
    after: { ...FEWER, allow: '{ constructor: a }' },
    gives: ['max_rows.lowered: -', 'reason.unused'],
  },
];

describe('changes', () => {
  test.each(ROWS)('$why', ({ before = {}, after, gives, says }) => {
    const changes = changesBetween(fileOf({ ...BASE, ...before }), fileOf({ ...BASE, ...after }));
    const shown = changes.map(({ code, allowed }) =>
      keyFor(CHANGES[code].class) === undefined ? code : `${code}: ${allowed ?? '-'}`,
    );
    expect(shown.toSorted()).toEqual([...gives].toSorted());
    if (says !== undefined) expect(changes.map(({ message }) => message).join()).toMatch(says);
  });

  test('a file that had errors keeps its reasons', () => {
    const text = fileOf({ ...BASE, allow_security: '{ endpoint.not_comparable: agreed }' });
    const changesOf = (before: string) =>
      compareFiles({ 'a.yaml': before }, { 'a.yaml': text }).flatMap(({ changes }) => changes);
    expect(changesOf(text.replace('@p', '@r'))).toMatchObject([
      { code: 'endpoint.not_comparable', allowed: undefined },
    ]);
    expect(changesOf(fileOf(BASE).replace('@p', '@r'))).toMatchObject([
      { code: 'endpoint.not_comparable', allowed: 'agreed' },
    ]);
  });

  test('a reason is at its line', () => {
    const after = `${fileOf(BASE)}allow:\n  column.removed: agreed\n`;
    const [change] = changesBetween(fileOf(BASE), after);
    expect(after.split('\n')[(change?.line ?? 0) - 1]).toBe('  column.removed: agreed');
  });
});

describe('findings', () => {
  const findingsOf = (keys: object) =>
    [...reasonFindings({ id: '', name: '', query: '', ...keys })].map(
      ({ code, path, hint }) => `${code} ${path.join('/')} ${hint}`,
    );

  test.each([
    ['right codes', { allow: { 'column.removed': 'a' }, allow_security: { 'redaction.removed': 'a' } }, []],
    [
      'a misspelt code',
      { allow: { 'colum.removed': 'a' } },
      ['reason.unknown_code allow/colum.removed Did you mean column.removed?'],
    ],
    [
      'no code at all',
      { allow: { x: 'a' } },
      ['reason.unknown_code allow/x Copy the code from the report of millrace diff'],
    ],
    [
      'a security change',
      { allow: { 'redaction.removed': 'a' } },
      ['reason.wrong_key allow/redaction.removed Write it in allow_security'],
    ],
    [
      'a breaking change',
      { allow_security: { 'column.removed': 'a' } },
      ['reason.wrong_key allow_security/column.removed Write it in allow'],
    ],
    [
      'a change that needs none',
      { allow: { 'query.changed': 'a' } },
      ['reason.wrong_key allow/query.changed Remove it'],
    ],
    [
      'the old key',
      { allow_breaking: 'a' },
      [expect.stringMatching(/^reason\.allow_breaking allow_breaking Remove it if/)],
    ],
  ])('%s', (_, keys, expected) => {
    expect(findingsOf(keys)).toEqual(expected);
  });
});
