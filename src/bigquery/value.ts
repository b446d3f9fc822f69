// The values of JSON columns and records, as the rules of this module import them.
export { field } from '../dialects/record.ts';
export { condition, key, number, settled, shown, text, whole } from '../dialects/operand.ts';
export { isMissing } from '../dialects/subcolumn.ts';
