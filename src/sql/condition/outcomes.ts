// Finds conditions that are true for no row, or for every row: a condition that compares columns with values changes only at these
// values, so that samples at and between them decide.
import type { RowCondition, JsonRow } from './condition.ts';

export type ConditionOutcome = 'never' | 'always' | 'varies';

/** What is known of the values of a column; undefined: nothing. */
export type ColumnTraits = (column: string) =>
  | {
      /** No value is below 0. */
      readonly isUnsigned: boolean;
      readonly isNullable: boolean;
    }
  | undefined;

const MAX_SAMPLES = 4096;

/** `varies` also if it is not known. */
export function outcomeOf(
  { bounds, isBounded, columns, test }: RowCondition,
  traits: ColumnTraits,
): ConditionOutcome {
  const names = [...new Set(columns.map(({ name }) => name))];
  if (names.length === 0) return constantOutcome(test);
  if (!isBounded) return 'varies';
  const samples = names.map((name) => samplesOf(bounds, name, traits(name)));
  const count = samples.reduce((product, each) => product * each.length, 1);
  if (count === 0 || count > MAX_SAMPLES) return 'varies';
  let [someTrue, someOther] = [false, false];
  for (const row of rowsOf(names, samples)) {
    const value = valueOf(test, row);
    if (value === undefined) return 'varies';
    if (value === true) someTrue = true;
    // A row without a value is an exception that a condition may well pass over.
    else if (value === false || Object.values(row).every((each) => each !== null)) someOther = true;
  }
  if (!someTrue) return 'never';
  return someOther ? 'varies' : 'always';
}

function constantOutcome(test: RowCondition['test']): ConditionOutcome {
  const value = valueOf(test, {});
  if (value === undefined) return 'varies';
  return value === true ? 'always' : 'never';
}

/** Undefined: the condition fails for it. */
function valueOf(test: RowCondition['test'], row: JsonRow): boolean | null | undefined {
  try {
    return test(row);
  } catch {
    return undefined;
  }
}

function samplesOf(
  bounds: RowCondition['bounds'],
  name: string,
  traits: ReturnType<ColumnTraits>,
): readonly (number | string | null)[] {
  const values = [...new Set(bounds.flatMap(({ column, value }) => (column === name ? [value] : [])))];
  const numbers = values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b);
  const strings = values.filter((value) => typeof value === 'string').toSorted();
  if (numbers.length > 0 && strings.length > 0) return [];
  const nulls = traits?.isNullable === false ? [] : [null];
  if (strings.length > 0)
    return [...new Set(['', ...strings.flatMap((each) => [each, `${each}\0`])]), ...nulls];
  if (numbers.length === 0) return [1, ...nulls];
  const between = numbers.map((each, index) => (each + (numbers[index + 1] ?? each + 2)) / 2);
  const all = [(numbers[0] ?? 0) - 1, ...numbers, ...between];
  return [...all.filter((each) => traits?.isUnsigned !== true || each >= 0), ...nulls];
}

/** Each combination of the samples. */
function* rowsOf(names: readonly string[], samples: readonly (readonly unknown[])[]): Generator<JsonRow> {
  const [name, ...others] = names;
  const [own = [], ...rest] = samples;
  if (name === undefined) return void (yield {});
  for (const row of rowsOf(others, rest)) for (const value of own) yield { ...row, [name]: value };
}
