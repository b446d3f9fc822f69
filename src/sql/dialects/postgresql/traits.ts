// How PostgreSQL differs from most dialects.
import { STANDARD, type Traits } from '../traits.ts';

/** Redshift shares these. */
export const FAMILY: Traits = {
  ...STANDARD,
  namesExpressions: true,
  stringsAreUntyped: true,
  comparesDates: true,
  extremeOfNullIsNull: false,
  hasShortLiterals: true,
  roundsHalfToEven: true,
  hasPowerOperator: true,
  nanIsGreatest: true,
  dotIsBreak: true,
  booleansAreLetters: true,
  datesBecomeTimestamps: true,
  trimsFractions: true,
  addsDays: true,
};

export const TRAITS: Traits = {
  ...FAMILY,
  groupsOtherColumns: true,
  castsToBool: 'short integers',
  plainDecimal: 'any',
  concatSkipsNull: true,
  // A group that does not exist is empty.
  replacementOf: (written, groups) =>
    written.replaceAll(/\\[^]/g, (escape) => {
      if (escape === '\\&') return '\\0';
      return Number(escape.slice(1)) > groups ? '' : escape;
    }),
  hasFractionalParts: true,
  zoneDependsOnType: true,
  isJsonDocument: true,
  jsonSpace: ' ',
};
