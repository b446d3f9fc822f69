import { describe, expect, test } from 'vitest';
import { acceptedTypes, offeredTypes } from '../../../src/service/http/accepted-types.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const CSV = 'text/csv; charset=utf-8; header=present';
const PARQUET = 'application/vnd.apache.parquet';
const OFFERED = [JSON_TYPE, CSV, PARQUET];
const OFFERED_TYPES = offeredTypes(OFFERED);

describe('media ranges', () => {
  test.each<readonly [accept: string | undefined, accepted: readonly string[]]>([
    [undefined, OFFERED],
    ['*/*', OFFERED],
    ['', []],
    // The types that responses declare.
    [JSON_TYPE, [JSON_TYPE]],
    [CSV, [CSV]],
    ['application/json;charset=UTF-8', [JSON_TYPE]],
    ['application/json; charset=utf8', [JSON_TYPE]],
    ['APPLICATION/JSON; Charset="utf-8"', [JSON_TYPE]],
    ['text/csv; header=present', [CSV]],
    ['application/vnd.apache.parquet; charset=utf-8', [PARQUET]],
    // Parameters that no response has.
    ['application/json; version=1', [JSON_TYPE]],
    ['application/json;odata.metadata=minimal;IEEE754Compatible=true', [JSON_TYPE]],
    ['application/json;profile="https://example.com/a,b;c=\\"d\\""', [JSON_TYPE]],
    ['application/json;q=0.5;ext=1, text/csv;x=y', [CSV, JSON_TYPE]],
    ['*/*;charset=utf-8', OFFERED],
    ['application/*;v=2', [JSON_TYPE, PARQUET]],
    ['application/json;flag', [JSON_TYPE]],
    ['application/json;', [JSON_TYPE]],
    // Parameters that responses have with another value.
    ['application/json; charset=iso-8859-1', []],
    ['text/csv; header=absent', []],
    ['text/csv; header=absent, */*;q=0.1', OFFERED],
    // Weights.
    ['application/json;q=0, */*', [CSV, PARQUET]],
    ['application/json;charset=utf-8;q=0, application/json', []],
    ['application/json, application/json;q=0.1', [JSON_TYPE]],
    ['text/csv;Q=0.9, application/json;q=0.3', [CSV, JSON_TYPE]],
    ['application/json;q=zero', []],
    ['application/json;q=1.5', []],
    ['text/csv;q=".5", application/json;q=0.4', [CSV, JSON_TYPE]],
    // No media ranges.
    ['json', []],
    ['application/json/x', []],
    ['image/png', []],
    [`application/json, ${'a/b,'.repeat(125)}`, []],
  ])('%s', (accept, accepted) => {
    expect([...acceptedTypes(accept, OFFERED_TYPES)].toSorted()).toEqual([...accepted].toSorted());
    expect(acceptedTypes(accept, OFFERED_TYPES)[0]).toBe(accepted[0]);
  });

  test('unclosed quotes are read in linear time', () => {
    expect(acceptedTypes(`application/json;a="${'\\'.repeat(200)}${'"'.repeat(200)}`, OFFERED_TYPES)).toEqual(
      [JSON_TYPE],
    );
  });
});
