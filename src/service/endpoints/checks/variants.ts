// Checks of choices and optional parts, by the code of their findings.
import { didYouMean } from '../../../sql/base/nearest.ts';
import { givenIn, holdsFor, type PartCondition } from '../../../sql/clickhouse/part-condition.ts';
import { partsOf, type Piece } from '../../../sql/clickhouse/template.ts';
import type { FileChecks } from './check.ts';
import { toSelection, type Dimension } from '../selections.ts';

const NOT_OF_CHOICES = [
  'type',
  'enum',
  'pattern',
  'format',
  'min',
  'max',
  'min_length',
  'max_length',
] as const;

export const VARIANT_CHECKS: FileChecks = {
  'choice.key_misplaced': {
    title: 'A key that does not apply to choices, or only to choices',
    help: 'The values of a parameter with choices are the names under choices: it has no type and no constraints. multiple: true accepts several of them.',
    inShared: true,
    *check({ document, file }) {
      for (const [name, spec] of Object.entries(file.parameters ?? {})) {
        const written = keysAt(document.value, name);
        if (spec.choices === undefined) {
          if (written.includes('multiple'))
            yield {
              path: ['parameters', name, 'multiple'],
              onKey: true,
              message: 'multiple applies to choices: several values of a type are an Array',
              hint: 'Write type: Array(…), or add choices',
            };
          continue;
        }
        for (const key of NOT_OF_CHOICES)
          if (written.includes(key))
            yield {
              path: ['parameters', name, key],
              onKey: true,
              message: `${key} does not apply to choices, whose values are the names under choices`,
              hint: `Remove ${key}, or choices`,
            };
      }
    },
  },
  'choice.without_value': {
    title: 'A choice without a value',
    help: 'Calls that do not send the parameter need a default. Without one, the parameter is required, or used only in optional parts that depend on it.',
    inShared: true,
    *check({ file, source }) {
      for (const piece of usesOf(source.template.pieces, new Set())) {
        const spec = file.parameters?.[piece.name];
        if (spec === undefined || spec.required === true || spec.default !== undefined) continue;
        yield {
          path: ['query'],
          offset: piece.start,
          message: `@${piece.name} has no fragment in calls that do not send it`,
          hint: `Add default: ${Object.keys(spec.choices ?? {})[0] ?? '…'} or required: true to the parameter, or write /* if @${piece.name} */ … /* end */ around what needs it`,
        };
      }
    },
  },
  'query.part_undeclared': {
    title: 'An optional part depends on a parameter that is not declared',
    help: 'Declare the parameter, or correct the name.',
    inShared: true,
    *check({ file, source }, { guess }) {
      const declared = Object.keys(file.parameters ?? {});
      for (const { conditions, start } of partsOf(source.template.pieces)) {
        for (const { name } of conditions) {
          if (declared.includes(name)) continue;
          const meant = guess(name, declared);
          yield {
            path: ['query'],
            offset: Math.max(start, file.query.indexOf(`@${name}`, start)),
            message: `@${name} is not declared under parameters`,
            hint: didYouMean(meant && `@${meant}`) ?? `Declare it: parameters: { ${name}: { type: String } }`,
          };
        }
      }
    },
  },
  'query.part_always': {
    title: 'An optional part that is always there, or never',
    help: 'A parameter that is required or has a default has a value in every call; a Bool counts as given if it is true, an Array if it is not empty.',
    severity: 'warning',
    inShared: true,
    *check({ dimensions, source }) {
      for (const { conditions, start } of partsOf(source.template.pieces)) {
        const settled = conditions.find((each) => outcomesOf(each, dimensions).size === 1);
        if (settled === undefined) continue;
        const { name } = settled;
        const isAlways = outcomesOf(settled, dimensions).has(true);
        yield {
          path: ['query'],
          offset: start,
          message: `this part is ${isAlways ? 'always' : 'never'} there, whatever @${name} is in a call`,
          hint: `Remove the default or required: true of ${name}, or the ${isAlways ? 'comments around the part' : 'part'}`,
        };
      }
    },
  },
  'query.part_value': {
    title: 'An optional part for a value that the parameter never has',
    help: 'if @a = value compares with a name of a choice, or with a value that the parameter accepts, written as in its enum: text, an integer, a Date, true or false. Lists are not compared.',
    inShared: true,
    *check({ parameters, source }, { guess }) {
      for (const { conditions, start } of partsOf(source.template.pieces)) {
        for (const { name, value } of conditions) {
          const parameter = parameters.get(name);
          if (value === undefined || parameter === undefined) continue;
          const reading = parameter.type.kind === 'scalar' ? parameter.read(value) : undefined;
          if (reading?.kind === 'value' && reading.text === value) continue;
          const meant = guess(value, parameter.listed ?? []);
          const plain = reading?.kind === 'value' ? reading.text : undefined;
          yield {
            path: ['query'],
            offset: start,
            message:
              reading === undefined
                ? `@${name} is no single value, which = compares`
                : `@${name} is never ${value}`,
            hint:
              didYouMean(meant ?? plain ?? undefined) ??
              (reading === undefined ? `Write /* if @${name} */` : `Write a value that ${name} accepts`),
          };
        }
      }
    },
  },
};

function keysAt(value: unknown, name: string): readonly string[] {
  const { parameters } = value as { readonly parameters?: Readonly<Record<string, object>> }; // passed the schema
  return Object.keys(parameters?.[name] ?? {});
}

/** Returns the outcomes that a condition has in calls; empty if the parameter is not declared, or never has the value. */
function outcomesOf(condition: PartCondition, dimensions: readonly Dimension[]): ReadonlySet<boolean> {
  const { values = [] } = dimensions.find(({ name }) => name === condition.name) ?? {};
  const { value: compared } = condition;
  if (compared !== undefined && !values.some(({ names }) => names.includes(compared))) return new Set();
  return new Set(values.map((value) => holdsFor(condition, toSelection([[condition.name, value]]))));
}

/** The uses of choices outside the parts that depend on them. */
function* usesOf(
  pieces: readonly Piece[],
  given: ReadonlySet<string>,
): Generator<Extract<Piece, { kind: 'choice' }>> {
  for (const piece of pieces) {
    if (piece.kind === 'choice' && !given.has(piece.name)) yield piece;
    if (piece.kind === 'part') yield* usesOf(piece.pieces, new Set([...given, ...givenIn(piece.conditions)]));
  }
}
