// A plugin of the build: the validation functions of the schemas as code, each in a file that is loaded when it is first used, in place of
// compiling them in each process.
import { join } from 'node:path';
import standaloneModule from 'ajv/dist/standalone/index.js';
import { minifySync, type Plugin } from 'vite';
import { compileSchema, createAjv } from '../../src/service/config/compile-schema.ts';
import {
  SCHEMA_NAMES,
  SCHEMA_PARTS,
  type SchemaName,
  type SchemaPart,
} from '../../src/service/config/schema-file.ts';

const MODULE = join(import.meta.dirname, '../../src/service/config/schema-validators.ts');
/** Everything that documents and values are checked against. */
export const VALIDATED = [...SCHEMA_NAMES, ...(Object.keys(SCHEMA_PARTS) as SchemaPart[])];

const REPLACEMENT = `import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
export const validatorOf = (name) => load(\`./schemas/\${name}.cjs\`);
`;

/** The code of a CommonJS module whose export validates against the schema. */
export function validatorCode(name: SchemaName | SchemaPart): string {
  const ajv = createAjv({ source: true });
  return minifySync(`${name}.cjs`, standaloneModule.default(ajv, compileSchema(ajv, name)), { module: false })
    .code;
}

export function compiledSchemas(): Plugin {
  return {
    name: 'compiled-schemas',
    load: (id) => (id === MODULE ? REPLACEMENT : undefined),
    generateBundle() {
      for (const name of VALIDATED)
        this.emitFile({ type: 'asset', fileName: `schemas/${name}.cjs`, source: validatorCode(name) });
    },
  };
}
