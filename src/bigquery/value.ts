// The values of JSON columns and records, as the rules of this module import them.
export {
  columnType,
  columnValue,
  field,
  fieldNames,
  hasField,
  isRecord,
  rerooted,
} from '../dialects/record.ts';
export { condition, key, NEVER_NULL, number, settled, shown, text, whole } from '../dialects/operand.ts';
export { isMissing, quoteName } from '../dialects/subcolumn.ts';
