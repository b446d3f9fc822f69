// Rules about choices and optional parts, by the code of their findings.
import { didYouMean } from '../core/nearest.ts';
import { partsOf, type Piece } from '../sql/template.ts';
import type { Rule } from './rule.ts';

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

export const VARIANT_RULES: Readonly<Record<string, Rule>> = {
  'choice.key_misplaced': function* ({ document, file }) {
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
  'choice.without_value': function* ({ file, source }) {
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
  'query.part_undeclared': function* ({ file, source }, { guess }) {
    const declared = Object.keys(file.parameters ?? {});
    for (const { names, start } of partsOf(source.template.pieces)) {
      for (const name of names) {
        if (declared.includes(name)) continue;
        const meant = guess(name, declared);
        yield {
          path: ['query'],
          offset: start,
          message: `@${name} is not declared under parameters`,
          hint: didYouMean(meant && `@${meant}`) ?? `Declare it: parameters: { ${name}: { type: String } }`,
        };
      }
    }
  },
  'query.part_always': function* ({ dimensions, source }) {
    for (const { names, start } of partsOf(source.template.pieces)) {
      const always = names.find((name) =>
        dimensions.some((each) => each.name === name && each.values.every(({ isGiven }) => isGiven)),
      );
      if (always === undefined) continue;
      yield {
        severity: 'warning',
        path: ['query'],
        offset: start,
        message: `this part is always there: @${always} has a value in every call`,
        hint: `Remove the default or required: true of ${always}, or the comments around the part`,
      };
    }
  },
};

function keysAt(value: unknown, name: string): readonly string[] {
  const { parameters } = value as { readonly parameters?: Readonly<Record<string, object>> }; // passed the schema
  return Object.keys(parameters?.[name] ?? {});
}

/** The uses of choices outside the parts that depend on them. */
function* usesOf(
  pieces: readonly Piece[],
  given: ReadonlySet<string>,
): Generator<Extract<Piece, { kind: 'choice' }>> {
  for (const piece of pieces) {
    if (piece.kind === 'choice' && !given.has(piece.name)) yield piece;
    if (piece.kind === 'part') yield* usesOf(piece.pieces, new Set([...given, ...piece.names]));
  }
}
