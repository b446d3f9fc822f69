// The JSON Schemas in `schemas/`, and what of them is checked.
import { readFileSync } from 'node:fs';
import { packagePath } from './package-files.ts';

/** The schemas in `schemas/`, without their suffix. */
export const SCHEMA_NAMES = [
  'endpoint',
  'shared',
  'rollup',
  'view',
  'statistics',
  'tokens',
  'settings',
] as const;

export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** The definitions that are checked by themselves: each with its schema. */
export const SCHEMA_PARTS = { Converted: 'endpoint', Claims: 'tokens' } as const;

export type SchemaPart = keyof typeof SCHEMA_PARTS;

/** The schema as committed under `schemas/`. */
export function readSchema(name: SchemaName): Record<string, unknown> {
  const text = readFileSync(packagePath(`schemas/${name}.schema.json`), 'utf8');
  const schema: unknown = JSON.parse(text);
  return schema as Record<string, unknown>; // our own file: an object, compiled in strict mode
}
