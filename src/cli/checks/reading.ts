// What is found while files are read, before any check: YAML, the schema, parameters, SQL, and what files include.
import { VARIANT_CODES } from '../catalog/analysis.ts';
import { INCLUDE_CODES } from '../catalog/include/include-codes.ts';
import { LOAD_CODES } from '../catalog/load.ts';
import { LINK_CODES } from '../config/leads-outside.ts';
import { SCHEMA_CODES } from '../config/schema.ts';
import { YAML_CODES } from '../config/yaml-codes.ts';
import { MORE_CODES, type Codes } from '../core/finding.ts';
import { PARAMETER_CODES } from '../params/parameter.ts';
import { SQL_CODES } from '../sql/finding.ts';

export const READING_CODES: Codes = {
  ...LOAD_CODES,
  ...LINK_CODES,
  ...MORE_CODES,
  ...YAML_CODES,
  ...SCHEMA_CODES,
  ...INCLUDE_CODES,
  ...PARAMETER_CODES,
  ...SQL_CODES,
  ...VARIANT_CODES,
};
