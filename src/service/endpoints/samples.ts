// Values for the parameters of a query while the engine analyses it: those of the file first, then ones that fit the type
// and the function.
import type { EndpointFile } from '../config/generated/endpoint.ts';
import { isGiven, type CompiledParameter } from '../params/parameter.ts';
import type { RawValue, Reading } from '../params/reading.ts';
import { neutralValues } from '../params/type.ts';
import { valueReader } from '../params/value.ts';
import type { Selection } from '../../sql/clickhouse/expand.ts';
import type { BoundQuery } from '../../sql/clickhouse/placeholders.ts';
import { parseSavedText } from '../../sql/clickhouse/tree/parse.ts';
import { isRejectionExpected } from './expectation.ts';
import { fittingTexts } from './fitting-texts.ts';

/** By parameter name, in ClickHouse's text format (unescaped). */
export type SampleValues = Readonly<Record<string, string>>;

/** Where the values come from. */
interface SampleSource {
  readonly file: EndpointFile;
  readonly parameters: ReadonlyMap<string, CompiledParameter>;
  readonly bound: BoundQuery;
  readonly selection: Selection;
}

/** Distinct combinations, values of one parameter, and examples at most. */
const MAX_COMBINATIONS = 40;
const MAX_VALUES = 20;
const MAX_EXAMPLES = 4;

/**
 * Combinations of values, the likeliest first: each example, completed by the first values of the others; then other values
 * for all parameters at once, and for one at a time. The values of a parameter are those of the examples, its default,
 * the members of its enum, min, and neutral ones. Never empty, and bounded.
 */
export function sampleCombinations(source: SampleSource): readonly SampleValues[] {
  const examples = examplesOf(source);
  const values = valuesOf(source, examples);
  const first = pick(values, () => 0);
  const found = new Map<string, SampleValues>();
  const add = (combination: SampleValues): void => {
    if (found.size < MAX_COMBINATIONS) found.set(JSON.stringify(combination), combination);
  };
  for (const example of examples) add({ ...first, ...example });
  for (let index = 0; index < MAX_EXAMPLES; index++) add(pick(values, () => index));
  for (let index = 1; index < MAX_VALUES; index++) {
    for (const [name, { length }] of values)
      if (index < length) add(pick(values, (each) => (each === name ? index : 0)));
  }
  return [...found.values()];
}

type Values = ReadonlyMap<string, readonly string[]>;

function pick(values: Values, indexOf: (name: string) => number): SampleValues {
  const entries = [...values].map(([name, texts]) => [name, texts[indexOf(name) % texts.length] ?? '']);
  return Object.fromEntries(entries) as SampleValues; // pairs of strings, built above
}

function examplesOf({ file, parameters, selection }: SampleSource): readonly SampleValues[] {
  const calls = (file.examples ?? []).filter(({ expect }) => !isRejectionExpected(expect));
  return calls.slice(0, MAX_EXAMPLES).map((example) => {
    const values: Record<string, string> = {};
    for (const [name, value] of Object.entries(example.parameters ?? {})) {
      const parameter = parameters.get(name);
      const text = textOf(parameter?.read(value));
      if (parameter !== undefined && text !== undefined && fits(parameter, text, selection))
        values[name] = text;
    }
    return values;
  });
}

/** By parameter: its distinct values, the likeliest first; at least one. */
function valuesOf(
  { file, parameters, bound, selection }: SampleSource,
  examples: readonly SampleValues[],
): Values {
  const tree = parseSavedText(bound.sql, bound.tokens);
  return new Map(
    [...parameters].map(([name, parameter]) => {
      const { type, read, absent } = parameter;
      const { enum: allowed = [], min, max } = file.parameters?.[name] ?? {};
      const declared = [...allowed.slice(0, MAX_VALUES), min, max].filter((value) => value !== undefined);
      const neutral = neutralValues(type, fittingTexts(tree, bound.uses, name));
      const readAny = valueReader(type);
      const readings = [
        ...declared.map((value) => read(type.kind === 'array' ? [value] : value)),
        ...neutral.map((value) => readIf(value, read)),
        ...neutral.map((value) => readIf(value, readAny)), // the constraints may allow none of them
      ];
      const texts = [
        ...examples.map((example) => example[name]),
        absent ?? undefined,
        ...readings.map(textOf),
      ].filter((text) => text !== undefined);
      const chosen = selection.choices.get(name);
      const fitting =
        chosen === undefined
          ? texts.filter((text) => fits(parameter, text, selection))
          : [type.kind === 'array' ? listText(chosen) : chosen.join()];
      return [name, [...new Set(fitting.length > 0 ? fitting : texts)].slice(0, MAX_VALUES)] as const;
    }),
  );
}

/** Returns whether the variant of the query is one for this value. */
function fits(parameter: CompiledParameter, text: string, { choices, given }: Selection): boolean {
  if (parameter.isChoice) return !choices.has(parameter.name);
  return !given.has(parameter.name) || isGiven(parameter, text);
}

function listText(names: readonly string[]): string {
  return `[${names.map((name) => `'${name}'`).join(',')}]`;
}

function readIf(value: RawValue, read: CompiledParameter['read']): Reading | undefined {
  return value === null ? undefined : read(value);
}

function textOf(reading: Reading | undefined): string | undefined {
  return reading?.kind === 'value' ? reading.text : undefined;
}
