// Our schemas are valid JSON Schema 2020-12, which is not checked at run time, and the functions that the build compiles from them find
// what those find that are compiled at run time.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileSchema, createAjv } from '../../../src/service/config/compile-schema.ts';
import { readSchema, SCHEMA_NAMES } from '../../../src/service/config/schema-file.ts';
import { VALIDATED, validatorCode } from '../../../tools/scripts/compiled-schemas.ts';

test.each(SCHEMA_NAMES)('the schema of %s', (name) => {
  const ajv = new Ajv2020();
  const isValid = ajv.validateSchema(readSchema(name));
  expect({ isValid, errors: ajv.errors }).toEqual({ isValid: true, errors: null });
  expect(ajv.validateSchema({ ...readSchema(name), type: 'no type' })).toBe(false);
});

/** Values with an error at each of their parts in turn, or an unknown key. */
function* spoiled(value: unknown): Iterable<unknown> {
  yield value;
  for (const wrong of [true, -1.5, 'ß', [{}], { toString: 1 }]) yield wrong;
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { ...value, unknown: 1 };
  for (const key of Object.keys(value)) {
    const part: unknown = Reflect.get(value, key);
    for (const each of spoiled(part)) {
      const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
      Reflect.set(copy, key, each);
      yield copy;
    }
  }
}

const FILES = {
  endpoint: 'usage.api-counts.yaml',
  shared: 'logs.tables.shared.yaml',
  rollup: 'logs.rollup.yaml',
};

const SMALL = {
  tokens: [
    {
      name: 'a',
      sha256: 'b',
      endpoints: ['*'],
      allow: ['sql'],
      params: { project: 'c' },
      expires: '2030-01-01',
    },
  ],
  port: 1,
  jwt: { issuer: 'https://id.example.com', claims: { endpoints: 'e' } },
  claims: { tenant: 't' },
  tables: { 'a.b': { rows: 1, bytes: 2 } },
  source: 'mysql',
  sql: 'SELECT 1',
  view: { logs: { time: 't' } },
};

test.each(VALIDATED)('%s: the function that the build compiles', (name) => {
  const atRunTime = compileSchema(createAjv({ optimize: false }), name);
  const module: { exports: unknown } = { exports: undefined };
  compileFunction(validatorCode(name), ['module', 'require'])(module, createRequire(import.meta.url));
  const built = module.exports as ValidateFunction; // what the generated module exports
  const document: unknown =
    name in FILES
      ? parse(readFileSync(`endpoints/${FILES[name as keyof typeof FILES]}`, 'utf8')) // checked just now
      : SMALL;
  const values = [...spoiled(document)];
  const errorsBy = (validate: ValidateFunction): readonly string[] =>
    values.map((value) => {
      validate(value);
      return (validate.errors ?? [])
        .map(({ schemaPath, instancePath, message, params }) => [schemaPath, instancePath, message, params])
        .map((each) => JSON.stringify(each))
        .join();
    });
  const errors = errorsBy(built);
  expect(new Set(errors).size).toBeGreaterThan(3);
  expect(errors).toEqual(errorsBy(atRunTime));
});
