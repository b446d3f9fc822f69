// The validation functions of the schemas. The build replaces this module (`tools/scripts/compiled-schemas.ts`).
import type { ValidateFunction } from 'ajv';
import { compileSchema, createAjv } from './compile-schema.ts';
import type { SchemaName, SchemaPart } from './schema-file.ts';

/** Compiling a schema takes longer than checking most documents. */
const compiled = new Map<SchemaName | SchemaPart, ValidateFunction>();

/** The function is compiled when it is first asked for. */
export function validatorOf(name: SchemaName | SchemaPart): ValidateFunction {
  // Optimizing takes three times as long as compiling, and saves little in a check.
  const validate = compiled.get(name) ?? compileSchema(createAjv({ optimize: false }), name);
  compiled.set(name, validate);
  return validate;
}
