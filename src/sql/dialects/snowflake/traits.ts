// How Snowflake differs from most dialects.
import { STANDARD, type Traits } from '../traits.ts';

export const TRAITS: Traits = {
  ...STANDARD,
  whereSeesAliases: true,
  seesEarlierAliases: true,
  fieldsAreJson: true,
  windowsAreWhole: true,
  collectsNothing: true,
  convertsArguments: true,
  roundsArguments: true,
  comparesStringsAsNumbers: true,
  hasIntegerDivision: false,
  quotientDigits: 'six more',
  hasSizedIntegers: false,
  sumsIntegers: true,
  nanIsGreatest: true,
  casesEachLetter: false,
  likeEscape: false,
  regexIsWhole: true,
  castsNumbersToTimes: true,
  addsDays: true,
  subtractsTimes: false,
  hasShortNames: true,
};
