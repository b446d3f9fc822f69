// Converts SQL with placeholders of other tools: their parameters and notes beside those of the SQL itself.
import type {
  Conversion,
  ConversionNote,
  ConvertedParameter,
  ConvertOptions,
} from '../../sql/dialects/conversion.ts';
import type { Converter } from './convert.ts';
import { fitting } from './placeholders/parameters.ts';
import type { Template } from './placeholders/template.ts';
import { innerType, parseType, printType } from '../../sql/types/type.ts';

/** The conversion of the template's SQL, with places in the text that the template was read from. Never rejects for its content. */
export async function convertTemplate(
  { convert }: Converter,
  template: Template,
  options: ConvertOptions,
): Promise<Conversion> {
  if (template.isUnreadable === true)
    return { sql: undefined, parameters: [], notes: template.notes, reads: { tables: [], columns: [] } };
  const { sql, parameters, notes, reads } = await convert(template.sql, options);
  const placed = notes.map((note): ConversionNote => {
    const start = template.sourceOffset(note.start);
    return { ...note, start, end: Math.max(start, template.sourceOffset(note.end)) };
  });
  return {
    sql: sql === undefined ? undefined : template.restore(sql),
    parameters: [
      ...template.parameters.map((each) => withType(each, parameters)),
      ...parameters.filter(({ name }) => !isDeclared(template, name)),
    ],
    notes: [...template.notes, ...placed].toSorted((a, b) => a.start - b.start),
    reads,
  };
}

/** The type of the columns that it is compared with, if the placeholder shows none. */
function withType(parameter: ConvertedParameter, known: readonly ConvertedParameter[]): ConvertedParameter {
  const { isTypeGuessed, ...rest } = parameter;
  const type = known.find(({ name }) => name === parameter.name)?.type;
  if (isTypeGuessed !== true || type === undefined) return parameter;
  const own = parseType(rest.type).name === 'Array' ? `Array(${type})` : type;
  const isFit = [rest.default, rest.example, ...(rest.enum ?? [])].every(
    (value) => value === undefined || fitting(value, own) !== undefined,
  );
  return isFit ? { ...rest, type: own, ...fittingValues(rest, own) } : parameter;
}

/** The values of the declaration as the type has them. */
function fittingValues(
  { default: written, example, enum: choices }: ConvertedParameter,
  type: string,
): Partial<ConvertedParameter> {
  const [fallback, value] = [fitting(written, type), fitting(example, type)];
  const parsed = parseType(type);
  const element = parsed.name === 'Array' ? printType(innerType(parsed)) : type;
  const values = choices?.map((each) => fitting(each, element));
  return {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(value === undefined ? {} : { example: value }),
    ...(values === undefined
      ? {}
      : { enum: values.filter((each) => typeof each === 'string' || typeof each === 'number') }),
  };
}

function isDeclared({ parameters }: Template, name: string): boolean {
  return /^not_converted_\d+$/.test(name) || parameters.some((each) => each.name === name);
}
