import { expect, test } from 'vitest';
import { locateStatements, splitStatements } from '../../../src/service/engine/statements.ts';

test('statements end at semicolons outside strings and comments', () => {
  const script =
    "-- one; two\nSELECT ';';\n\n/* ; */ ;\n  SELECT format('{}', 1); INSERT INTO t SELECT 1 -- end";
  expect(locateStatements(script)).toEqual([
    { line: 2, sql: "SELECT ';'" },
    { line: 5, sql: "SELECT format('{}', 1)" },
    { line: 5, sql: 'INSERT INTO t SELECT 1' },
  ]);
});

test('inline data may contain semicolons', () => {
  const script = 'INSERT INTO t FORMAT CSV\n1,"a;b"\n2,c\n';
  expect(splitStatements(script)).toEqual([script]);
});
