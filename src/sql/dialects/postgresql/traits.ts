// How PostgreSQL differs from most dialects.
import { STANDARD, type Traits } from '../traits.ts';

/** Redshift shares these. */
export const FAMILY: Traits = {
  ...STANDARD,
  namesExpressions: true,
  fieldsDecideNull: true,
  stringsAreUntyped: true,
  comparesDates: true,
  extremeOfNullIsNull: false,
  hasShortLiterals: true,
  roundsHalfToEven: true,
  failingPowers: 'large or small',
  hasPowerOperator: true,
  nanIsGreatest: true,
  dotIsBreak: true,
  booleansAreLetters: true,
  padsChar: true,
  datesBecomeTimestamps: true,
  trimsFractions: true,
  zoneDependsOnType: true,
  addsDays: true,
};

export const TRAITS: Traits = {
  ...FAMILY,
  groupsOtherColumns: true,
  castsToBool: 'short integers',
  booleanWords: 't tr tru true y ye yes on 1|f fa fal fals false n no of off 0',
  plainDecimal: 'any',
  concatSkipsNull: true,
  // A group that does not exist is empty.
  replacementOf: (written, groups) =>
    written.replaceAll(/\\[^]/g, (escape) => {
      if (escape === '\\&') return '\\0';
      return Number(escape.slice(1)) > groups ? '' : escape;
    }),
  hasFractionalParts: true,
  isJsonDocument: true,
  jsonSpace: ' ',
};
