// Checks of defaults that are computed from other parameters.
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { isExpression, isRelative } from '../../params/relative.ts';
import type { CompiledParameter } from '../../params/parameter.ts';
import type { Analysis } from '../analysis.ts';
import type { FileChecks, UncodedFinding } from './check.ts';

export const DEFAULT_CHECKS: FileChecks = {
  'parameter.default_reference': {
    title: 'A default computed from a parameter that has no time',
    help: '@name in a default is another parameter with a date or time, which is required or has a default itself.',
    check: defaultReferences,
  },
  'parameter.default_cycle': {
    title: 'A default computed from itself',
    help: 'Compute one of the parameters from now, or set required: true.',
    check: defaultCycles,
  },
  'parameter.default_invalid': {
    title: 'Invalid default',
    help: 'It must have the type of the parameter and satisfy its constraints. Dates and times may be relative, such as now-24h or @from + 1h.',
    check: (analysis, { now }) => defaultValues(analysis, now()),
  },
};

/** The name of the parameter that a default is computed from. */
export function baseOf({ moments }: CompiledParameter): string | undefined {
  return moments?.fallback?.parameter;
}

/** `@name` is a parameter with a date or time that every call has. */
function* defaultReferences({ file, parameters }: Analysis): Iterable<UncodedFinding> {
  for (const { name, ...parameter } of parameters.values()) {
    const base = baseOf({ name, ...parameter });
    if (base === undefined) continue;
    const path = ['parameters', name, 'default'];
    const spec = file.parameters?.[base];
    const found = parameters.get(base);
    if (spec === undefined) {
      const hint = didYouMean(nearest(base, Object.keys(file.parameters ?? {})));
      yield { path, message: `there is no parameter ${base}`, ...(hint && { hint }) };
    } else if (found !== undefined && found.moments === undefined) {
      yield { path, message: `${base} is no date or time: its type is ${found.type.name}` };
    } else if (found !== undefined && mayBeNull(found)) {
      const hint = 'Add a default or required: true to it, and remove Nullable';
      yield { path, message: `${base} may be NULL, from which no time can be computed`, hint };
    }
  }
}

function mayBeNull({ required, type, absent, moments }: CompiledParameter): boolean {
  return type.isNullable || (!required && absent === null && moments?.fallback === undefined);
}

/** No default is computed from itself. A cycle is reported once, at the first of its parameters. */
function* defaultCycles({ parameters }: Analysis): Iterable<UncodedFinding> {
  const reported = new Set<string>();
  for (const start of parameters.keys()) {
    const cycle = cycleFrom(parameters, start);
    if (cycle === undefined || reported.has(start)) continue;
    for (const each of cycle) reported.add(each);
    yield {
      path: ['parameters', start, 'default'],
      message: `the default is computed from itself: ${[...cycle, start].join(' → ')}`,
      hint: 'Compute one of them from now, or set required: true',
    };
  }
}

/** The parameters from this one back to it; undefined if it is in no cycle. */
function cycleFrom(parameters: Analysis['parameters'], start: string): readonly string[] | undefined {
  const chain = [start];
  for (let name = next(parameters, start); name !== undefined; name = next(parameters, name)) {
    if (name === start) return chain;
    if (chain.includes(name)) return undefined;
    chain.push(name);
  }
  return undefined;
}

function next(parameters: Analysis['parameters'], name: string): string | undefined {
  const parameter = parameters.get(name);
  return parameter && baseOf(parameter);
}

/** A default that is computed from the time of the call satisfies the constraints now. */
function* defaultValues({ parameters }: Analysis, now: number): Iterable<UncodedFinding> {
  for (const { name, moments } of parameters.values()) {
    const { fallback } = moments ?? {};
    if (moments === undefined || fallback === undefined || fallback.parameter !== undefined) continue;
    const { reading } = moments.resolve(fallback, undefined, now);
    if (reading.kind === 'failure')
      yield { path: ['parameters', name, 'default'], message: `the default ${reading.message}` };
  }
}

const BOUNDS = ['min', 'max', 'enum', 'pattern'] as const;

/** Returns whether the findings of the rules about a file depend on when it is checked: values that are relative to now may leave their bounds. */
export function dependsOnTime({
  parameters = {},
  examples = [],
}: Pick<EndpointFile, 'parameters' | 'examples'>): boolean {
  const specs = Object.values(parameters);
  const isBounded = specs.some((spec) => BOUNDS.some((bound) => spec[bound] !== undefined));
  const sent = examples.flatMap((example) => Object.values(example.parameters ?? {}));
  return isBounded && (specs.some((spec) => isExpression(spec.default)) || sent.some(isRelative));
}
