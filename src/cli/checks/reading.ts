// These codes are found while files are read, before any check: YAML, the schema, parameters, SQL, and what files include.
import { VARIANT_CODES } from '../../service/endpoints/analysis.ts';
import { INCLUDE_CODES } from '../../service/endpoints/include/include-codes.ts';
import { LOAD_CODES } from '../../service/endpoints/load.ts';
import { LINK_CODES } from '../../service/config/leads-outside.ts';
import { SCHEMA_CODES } from '../../service/config/schema.ts';
import { YAML_CODES } from '../../service/config/yaml-codes.ts';
import { MORE_CODES, type Codes } from '../../sql/base/finding.ts';
import { PARAMETER_CODES } from '../../service/params/parameter.ts';
import { SQL_CODES } from '../../sql/clickhouse/finding.ts';

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
