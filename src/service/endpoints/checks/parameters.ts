// Checks of the uses of parameters in the query and in the rest of the file.
import { didYouMean } from '../../../sql/base/nearest.ts';
import type { BoundQuery } from '../../../sql/clickhouse/placeholders.ts';
import { nodesAround, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { tokenAt } from '../../../sql/clickhouse/tree/tokens.ts';
import type { Analysis } from '../analysis.ts';
import type { FileChecks } from './check.ts';
import { baseOf, DEFAULT_CHECKS } from './defaults.ts';

export const PARAMETER_CHECKS: FileChecks = {
  ...DEFAULT_CHECKS,
  'parameter.undeclared': {
    title: 'The query uses a parameter that is not declared',
    help: 'Declare it under parameters, or correct the name.',
    perVariant: true,
    *check({ bound, file, parameters, inText }, { guess: nearest }) {
      const declared = new Set(Object.keys(file.parameters ?? {}));
      for (const use of bound.uses) {
        if (declared.has(use.name) || parameters.has(use.name)) continue;
        const guess = nearest(use.name, declared);
        yield {
          ...inText(use.start),
          message: `@${use.name} is not declared under parameters`,
          hint:
            didYouMean(guess && `@${guess}`) ?? `Declare it: parameters: { ${use.name}: { type: String } }`,
        };
      }
    },
  },
  'parameter.unused': {
    title: 'The query does not use a declared parameter',
    help: 'Write @name in the query, or remove the declaration.',
    *check({ used: ofQuery, file, parameters }, { guess: nearest }) {
      const bases = [...parameters.values()].flatMap((each) => baseOf(each) ?? []);
      const used = new Set([...ofQuery, ...bases]);
      const declared = Object.keys(file.parameters ?? {});
      const undeclared = [...ofQuery].filter((name) => !declared.includes(name));
      // A misspelled use has a finding of its own.
      const meant = new Set(undeclared.map((name) => nearest(name, declared)));
      for (const name of declared) {
        if (used.has(name) || meant.has(name)) continue;
        const guess = nearest(name, used);
        yield {
          path: ['parameters', name],
          onKey: true,
          message: `the query does not use @${name}`,
          hint:
            guess === undefined
              ? `Write @${name} in the query, or remove it here`
              : `The query uses @${guess}`,
        };
      }
    },
  },
  'parameter.optional_limit': {
    title: 'An optional parameter in LIMIT or OFFSET',
    help: 'An optional parameter without a default is NULL if it is not sent, and the engine accepts no NULL there: the call would fail with 500.',
    perVariant: true,
    *check(analysis) {
      const { parameters, inText, selection } = analysis;
      for (const use of limitUses(analysis)) {
        const parameter = parameters.get(use.name);
        if (parameter === undefined || parameter.required || parameter.absent !== null) continue;
        if (selection.given.has(use.name)) continue;
        yield {
          ...inText(use.start),
          message: `LIMIT and OFFSET take a number, and @${use.name} is NULL if it is not sent`,
          hint: `Add default: … or required: true to the parameter ${use.name}`,
        };
      }
    },
  },
  'parameter.as_table': {
    title: 'A parameter as the name of a table',
    help: 'Parameters are values. Declare the tables as choices of the parameter: choices: { edge: logs.edge_logs, auth: logs.auth_logs }.',
    perVariant: true,
    *check({ tree, bound, inText }) {
      for (const use of bound.uses) {
        if (nodesAround(tree.root, tokenAt(tree, use.boundStart)).at(-2)?.kind !== 'table') continue;
        yield {
          ...inText(use.start),
          message: 'a parameter is a value, and cannot be the name of a table',
          hint: 'Name the tables as choices of the parameter: choices: { name: database.table }',
        };
      }
    },
  },
  'labels.unknown_parameter': {
    title: 'A label refers to an unknown parameter',
    help: 'Declare the parameter, or remove the @ to use a fixed value.',
    *check({ file }, { guess: nearest }) {
      const declared = Object.keys(file.parameters ?? {});
      for (const [label, source] of Object.entries(file.labels ?? {})) {
        const name = source.startsWith('@') ? source.slice(1) : undefined;
        if (name === undefined || name === 'header' || declared.includes(name)) continue;
        const guess = nearest(name, declared);
        const hint = didYouMean(guess && `@${guess}`);
        yield {
          path: ['labels', label],
          message: `@${name} is not declared under parameters`,
          ...(hint && { hint }),
        };
      }
    },
  },
};

/** The uses of parameters as arguments of LIMIT and OFFSET: `LIMIT @a`, `LIMIT @b, @a`, `OFFSET @b`. */
function limitUses({ tree, bound }: Analysis): BoundQuery['uses'] {
  return bound.uses.filter(({ boundStart }) => {
    const token = tokenAt(tree, boundStart);
    const isNext = /^(?:LIMIT|OFFSET)$/.test(wordOf(tree, { at: token - 1 })); // also after a fault
    return isNext || nodesAround(tree.root, token).at(-2)?.kind === 'limit';
  });
}
