// Checks of the examples of a file.
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { PROBLEMS } from '../../../sql/base/problems.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { createBinder } from '../../params/binder.ts';
import type { FileChecks } from './check.ts';
import { isRejectionExpected } from '../expectation.ts';

export const EXAMPLE_CHECKS: FileChecks = {
  'example.unknown_code': {
    title: 'expect.code is no problem code',
    help: 'An example that expects it can never pass. All codes are in the reference of problems.',
    *check({ file }) {
      for (const [index, { expect }] of (file.examples ?? []).entries()) {
        const code = expect?.code;
        if (code === undefined || Object.hasOwn(PROBLEMS, code)) continue;
        const hint = didYouMean(nearest(code, Object.keys(PROBLEMS)));
        yield {
          path: ['examples', index, 'expect', 'code'],
          message: `there is no problem code ${code}`,
          ...(hint === undefined ? {} : { hint }),
        };
      }
    },
  },
  'example.invalid': {
    title: 'Invalid example parameters',
    help: 'An example is validated like a request: correct its parameters, or expect the rejection with expect.status and expect.code.',
    *check({ file, parameters, used }, { now }) {
      const declared = Object.keys(file.parameters ?? {});
      if (parameters.size < declared.length) return; // findings of the parameters themselves come first
      const undeclared = [...used].filter((name) => !declared.includes(name));
      const binder = createBinder([...parameters.values()], { unknown: 'reject' });
      for (const [index, example] of (file.examples ?? []).entries()) {
        if (isRejectionExpected(example.expect)) continue;
        const at = example.now === undefined ? now() : Date.parse(example.now);
        const sent = Object.entries(example.parameters ?? {}).map(
          ([name, value]) => [name, [value]] as const,
        );
        const failures = bindFailures(() => binder.bind(new Map(sent), at));
        for (const { parameter, message } of withoutFollowers(failures, {
          declared,
          undeclared,
          sent: new Map(sent),
        })) {
          const { [parameter]: sentValue } = example.parameters ?? {};
          const isSent = sentValue !== undefined;
          const { value, path } = Array.isArray(sentValue)
            ? elementOf(sentValue, message)
            : { value: sentValue, path: [] };
          const hint = didYouMean(
            nearest(String(value), (file.parameters?.[parameter]?.enum ?? []).map(String)),
          );
          yield {
            path: ['examples', index, ...(isSent ? ['parameters', parameter, ...path] : [])],
            onKey: isSent && !declared.includes(parameter),
            message: `invalid parameters in the example "${example.name}": ${parameter} ${message}`,
            ...(hint === undefined ? {} : { hint }),
          };
        }
      }
    },
  },
};

interface BindFailure {
  readonly parameter: string;
  readonly message: string;
}

interface KnownNames {
  readonly declared: readonly string[];
  /** The query uses these names without a declaration: each is a finding of its own. */
  readonly undeclared: readonly string[];
  readonly sent: ReadonlyMap<string, unknown>;
}

/** One misspelled name is one failure: it is not reported again as missing where it is sent, or as unknown where the query misspells it. */
function withoutFollowers(
  failures: readonly BindFailure[],
  { declared, undeclared, sent }: KnownNames,
): readonly BindFailure[] {
  const unknown = failures.filter(({ parameter }) => !declared.includes(parameter));
  const meant = new Set(unknown.map(({ parameter }) => nearest(parameter, declared)));
  return failures.filter(({ parameter }) =>
    declared.includes(parameter)
      ? sent.has(parameter) || !meant.has(parameter)
      : undeclared.every((name) => nearest(name, [parameter]) === undefined),
  );
}

/** The element that a message is about, and the path to it; the whole list if it names none. */
function elementOf(
  list: readonly unknown[],
  message: string,
): { readonly value: unknown; readonly path: readonly number[] } {
  const number = Number(/\(element (\d+)\)$/.exec(message)?.[1]);
  return number >= 1 && number <= list.length
    ? { value: list[number - 1], path: [number - 1] }
    : { value: list, path: [] };
}

function bindFailures(bind: () => unknown): readonly BindFailure[] {
  try {
    bind();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ parameter = '', message }) => ({ parameter, message }));
  }
}
