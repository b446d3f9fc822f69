// Entries of the tokens file that have no effect: patterns that no endpoint matches, and locked parameters that no endpoint has.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import type { Token } from '../../service/config/generated/tokens.ts';
import { compileGlobs } from '../../service/auth/globs.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import type { EndpointHead } from '../../service/endpoints/endpoint.ts';

export const DEAD_KEY_CODES: Codes = {
  'tokens.unknown_endpoint': {
    title: 'A key for endpoints that do not exist',
    help: 'A pattern of the tokens file matches no endpoint. It is checked if validate reads the whole folder and every file is valid. Correct the pattern, or remove it.',
  },
  'tokens.unknown_parameter': {
    title: 'A locked parameter that no endpoint has',
    help: 'A key can call only endpoints that have all the parameters that it locks. Correct the name, or remove it.',
  },
};

/** Pairs of a pattern and an endpoint that are compared at most. */
const MAX_PAIRS = 200_000;

/** Warnings at such entries. `endpoints` are all that there are. */
export function findDeadKeys(tokens: readonly Token[], endpoints: Named): readonly PathFinding[] {
  const patterns = tokens.reduce((sum, { endpoints: list }) => sum + list.length, 0);
  if (endpoints.length === 0 || patterns * endpoints.length > MAX_PAIRS) return [];
  return tokens.flatMap((token, index) => [
    ...deadPatterns(token, endpoints, ['tokens', index, 'endpoints']),
    ...deadParameters(token, endpoints, ['tokens', index, 'parameters']),
  ]);
}

type Named = readonly Pick<EndpointHead, 'name' | 'parameters'>[];

function deadPatterns(
  { name: key, endpoints: patterns }: Token,
  endpoints: Named,
  path: PathFinding['path'],
): readonly PathFinding[] {
  return patterns.flatMap((pattern, index): readonly PathFinding[] => {
    const matches = compileGlobs([pattern]);
    if (endpoints.some(({ name }) => matches(name))) return [];
    const hint = didYouMean(nearestPattern(pattern, endpoints));
    return [
      {
        code: 'tokens.unknown_endpoint',
        severity: 'warning',
        path: [...path, index],
        message: `no endpoint matches ${pattern}, so it gives the key ${key} nothing`,
        ...(hint === undefined ? {} : { hint }),
      },
    ];
  });
}

/** The nearest name; for `sesions.*`, the nearest beginning of one. */
function nearestPattern(pattern: string, endpoints: Named): string | undefined {
  const names = endpoints.map(({ name }) => name);
  const [start = '', rest] = pattern.split('*', 2);
  if (rest !== '' || start === '') return nearest(pattern, names);
  const depth = start.split('.').length - 1;
  const starts = names.map((name) => `${name.split('.').slice(0, depth).join('.')}.`);
  const guess = nearest(start, depth === 0 ? names : starts);
  return guess === undefined ? undefined : `${guess}*`;
}

function deadParameters(
  { name: key, endpoints: patterns, parameters = {} }: Token,
  endpoints: Named,
  path: PathFinding['path'],
): readonly PathFinding[] {
  const covers = compileGlobs(patterns);
  const covered = endpoints.filter(({ name }) => covers(name));
  if (covered.length === 0) return []; // then the patterns have findings
  const known = new Set(covered.flatMap((endpoint) => Object.keys(endpoint.parameters)));
  return Object.keys(parameters).flatMap((name): readonly PathFinding[] => {
    if (known.has(name)) return [];
    return [
      {
        code: 'tokens.unknown_parameter',
        severity: 'warning',
        path: [...path, name],
        onKey: true,
        message: `no endpoint of the key ${key} has a parameter ${name}, so the key can call none of them`,
        hint: didYouMean(nearest(name, known)) ?? 'Remove it, or declare the parameter in the endpoints',
      },
    ];
  });
}
