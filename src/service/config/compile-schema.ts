// Compiles the schemas. Commands load functions that the build has compiled (`tools/scripts/compiled-schemas.ts`) in place of
// `validate-schema.ts`: ajv and its work would take a third of the processor time of their start.
import { Ajv2020, type CodeOptions } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { ValidateFunction } from 'ajv';
import { readSchema, SCHEMA_PARTS, type SchemaName, type SchemaPart } from './schema-file.ts';

/** The compiler, with the options and formats of our schemas. */
export function createAjv(code: CodeOptions): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    verbose: true,
    validateSchema: false, // done by the tests: it would take as long as compiling
    meta: false,
    code,
  });
  for (const keyword of ['x-env', 'x-secret', 'x-names', 'defaultSnippets']) ajv.addKeyword(keyword);
  ajvFormats.default(ajv, ['uuid', 'date', 'date-time']);
  return ajv;
}

/** Compiles a schema, or a definition of one. */
export function compileSchema(ajv: Ajv2020, name: SchemaName | SchemaPart): ValidateFunction {
  const schema = readSchema(isPart(name) ? SCHEMA_PARTS[name] : name);
  const definitions = schema['$defs'] as Readonly<Record<string, unknown>>; // our own schema
  const chosen = isPart(name) ? definitions[name] : { ...schema, $defs: undefined };
  return ajv.compile(inlineRefs(chosen, definitions) as object);
}

function isPart(name: SchemaName | SchemaPart): name is SchemaPart {
  return name in SCHEMA_PARTS;
}

/**
 * A schema with its references replaced by the definitions. At each reference ajv copies all errors found so far, which
 * takes minutes for some files. None of our definitions is recursive.
 */
function inlineRefs(schema: unknown, definitions: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inlineRefs(item, definitions));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...own } = schema as Readonly<Record<string, unknown>>; // checked to be an object above
  // In our schemas, allOf has what editors check: here, the rules report the same with a better place.
  const entries = Object.entries(own).filter(
    ([key, value]) => value !== undefined && !(key === 'allOf' && Array.isArray(value)),
  );
  const inlined = Object.fromEntries(entries.map(([key, value]) => [key, inlineRefs(value, definitions)]));
  if (typeof $ref !== 'string') return inlined;
  const definition = inlineRefs(definitions[$ref.replace('#/$defs/', '')], definitions);
  return { ...(definition as object), ...inlined };
}
