// Checks of the examples of a file.
import { Problem } from '../../../sql/base/problem.ts';
import { createBinder } from '../../params/binder.ts';
import type { FileChecks } from './check.ts';
import { isRejectionExpected } from '../expectation.ts';

export const EXAMPLE_CHECKS: FileChecks = {
  'example.invalid': {
    title: 'Invalid example parameters',
    help: 'An example is validated like a request: correct its parameters, or expect the rejection with expect.status and expect.code.',
    *check({ file, parameters }, { now }) {
      const declared = Object.keys(file.parameters ?? {});
      if (parameters.size < declared.length) return; // findings of the parameters themselves come first
      const binder = createBinder([...parameters.values()], { unknown: 'reject' });
      for (const [index, example] of (file.examples ?? []).entries()) {
        if (isRejectionExpected(example.expect)) continue;
        const at = example.now === undefined ? now() : Date.parse(example.now);
        const sent = Object.entries(example.parameters ?? {}).map(
          ([name, value]) => [name, [value]] as const,
        );
        for (const { parameter, message } of bindFailures(() => binder.bind(new Map(sent), at))) {
          const isSent = parameter in (example.parameters ?? {});
          yield {
            path: ['examples', index, ...(isSent ? ['parameters', parameter] : [])],
            onKey: isSent && !declared.includes(parameter),
            message: `invalid parameters in the example "${example.name}": ${parameter} ${message}`,
          };
        }
      }
    },
  },
};

function bindFailures(bind: () => unknown): readonly { parameter: string; message: string }[] {
  try {
    bind();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ parameter = '', message }) => ({ parameter, message }));
  }
}
