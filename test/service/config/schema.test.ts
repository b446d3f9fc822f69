// Our schemas are valid JSON Schema 2020-12; at run time they are used without this check.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { readSchema } from '../../../src/service/config/schema.ts';

test.each(['endpoint', 'tokens', 'settings'] as const)('the schema of %s', (name) => {
  const ajv = new Ajv2020();
  const isValid = ajv.validateSchema(readSchema(name));
  expect({ isValid, errors: ajv.errors }).toEqual({ isValid: true, errors: null });
  expect(ajv.validateSchema({ ...readSchema(name), type: 'no type' })).toBe(false);
});
