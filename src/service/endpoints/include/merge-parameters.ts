// The parameters of a file and of all that it includes.
import type { Parameter } from '../../config/generated/endpoint.ts';
import type { Path } from '../../config/yaml-document.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { isDeepStrictEqual } from 'node:util';
import { declaredParameter } from '../../params/declared.ts';
import { isFailure, parseParameterType } from '../../params/type.ts';
import type { Base } from './base.ts';
import type { Note, Part, Placed, ResolvedInclude } from './part.ts';
import type { Origin } from './pieces.ts';
import { constantOf, type Passed } from './pass-parameters.ts';

/** What is passed on, and what is declared. */
export interface IncludedParameters {
  /** Text in place of parameters of each include, by its index. */
  readonly passed: readonly ReadonlyMap<string, Passed>[];
  /** The declarations of the file, and those of other files that the composed query uses. */
  readonly all: (used: readonly string[]) => ReadonlyMap<string, Placed<Parameter>>;
}

/** Resolves the parameters of includes; reports what does not fit. */
export function includedParameters(
  base: Base,
  includes: readonly ResolvedInclude[],
  note: Note,
): IncludedParameters {
  const inherited = inheritedFrom(base, includes, note);
  const declared = new Map([...inherited, ...base.parameters]);
  return {
    passed: includes.map((each) => passedOn(base, each, { declared, note })),
    all: (used) => {
      const names = new Set(used);
      const added = [...inherited].filter(([name]) => names.has(name) && !base.parameters.has(name));
      return new Map([...base.parameters, ...added]);
    },
  };
}

/** Declarations in included files. Two of one name must be the same; one of the file itself must have the same type. */
function inheritedFrom(
  base: Base,
  includes: readonly ResolvedInclude[],
  note: Note,
): ReadonlyMap<string, Placed<Parameter>> {
  const inherited = new Map<string, Placed<Parameter>>();
  for (const { include, index, part } of includes) {
    for (const [name, parameter] of part.parameters) {
      if (Object.hasOwn(include.parameters ?? {}, name)) continue;
      const own = base.parameters.get(name);
      const before = inherited.get(name);
      if (own !== undefined && !isSameType(own.value, parameter.value))
        note(
          'include.parameter_type',
          ['parameters', name],
          `${name} has the type ${typeText(parameter.value)} in ${part.name}, which this file includes`,
          'Declare it with that type, remove it here, or pass another parameter on',
        );
      else if (own === undefined && before !== undefined && !isSameDeclaration(before.value, parameter.value))
        note(
          'include.parameter_conflict',
          ['include', index],
          `${name} is declared in ${part.name} and in another included file, not in the same way`,
          'Declare it in this file',
        );
      else if (before === undefined) inherited.set(name, parameter);
    }
  }
  return inherited;
}

interface Passing {
  readonly declared: ReadonlyMap<string, Placed<Parameter>>;
  readonly note: Note;
}

/** What one include passes on, as text of the query. */
function passedOn(
  base: Base,
  { include, index, part }: ResolvedInclude,
  { declared, note }: Passing,
): ReadonlyMap<string, Passed> {
  const passed = new Map<string, Passed>();
  for (const [name, value] of Object.entries(include.parameters ?? {})) {
    const path: Path = ['include', index, 'parameters', name];
    const origin: Origin = { document: base.document, path, offset: 'value' };
    const found = passedFor({ name, value, origin, part, declared }, (code, message, hint) =>
      note(code, path, message, hint),
    );
    if (found !== undefined) passed.set(name, found);
  }
  return passed;
}

interface Given {
  readonly name: string;
  readonly value: string | number | boolean;
  readonly origin: Origin;
  readonly part: Part;
  readonly declared: ReadonlyMap<string, Placed<Parameter>>;
}

function passedFor(
  { name, value, origin, part, declared }: Given,
  note: (code: `include.${string}`, message: string, hint?: string) => void,
): Passed | undefined {
  const parameter = part.parameters.get(name);
  if (parameter === undefined) {
    note(
      'include.unknown_parameter',
      `${part.name} has no parameter ${name}`,
      didYouMean(nearest(name, part.parameters.keys())),
    );
    return undefined;
  }
  const reference = typeof value === 'string' ? /^@([A-Za-z_]\w{0,63})$/.exec(value)?.[1] : undefined;
  if (reference === undefined) {
    const constant = constantOf(name, parameter, { value, origin });
    if (!('message' in constant)) return { kind: 'constant', pieces: constant, value };
    const { message, hint = 'Write @name to pass a parameter of this file on' } = constant;
    note('include.parameter_type', `${name} ${message}`, hint);
    return undefined;
  }
  const passed = declared.get(reference)?.value;
  if (passed !== undefined && !isSameType(passed, parameter.value))
    note(
      'include.parameter_type',
      `${name} has the type ${typeText(parameter.value)}, and @${reference} the type ${typeText(passed)}`,
    );
  return { kind: 'reference', name: reference, origin }; // if it is not declared, the composed query says so
}

function isSameType(one: Parameter, other: Parameter): boolean {
  return typeText(one) === typeText(other) && isDeepStrictEqual(one.choices, other.choices);
}

/** In canonical form; as written if it is no type. */
function typeText(parameter: Parameter): string {
  const { type } = declaredParameter(parameter);
  const parsed = parseParameterType(type);
  return isFailure(parsed) ? type : parsed.name;
}

/** Returns whether two declarations have the same effect: all but the description. */
function isSameDeclaration(one: Parameter, other: Parameter): boolean {
  return isDeepStrictEqual({ ...one, description: '' }, { ...other, description: '' });
}
