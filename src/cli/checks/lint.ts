// Lint warnings for valid endpoint files, each under its own code.
import type { PathFinding } from '../../sql/base/finding.ts';
import type { DeclaredParameter } from '../../service/params/declared.ts';
import { didYouMean } from '../../sql/base/nearest.ts';
import { knownFunction } from '../../guard/sandbox/functions/policy.ts';
import type { Analysis } from '../../service/endpoints/analysis.ts';
import type { Outline } from '../../sql/clickhouse/outline.ts';
import {
  argumentAt,
  definedTables,
  isNull,
  membersOf,
  nodesAround,
  nodesOf,
  isDistinct,
  nameOf,
  partOf,
  spanOf,
  textOf,
  wordOf,
} from '../../sql/clickhouse/tree/visit.ts';
import { nameTokens, tokenAt } from '../../sql/clickhouse/tree/tokens.ts';
import { isShown } from '../../service/endpoints/expectation.ts';
import { runChecks, type FileChecks, type UncodedFinding } from '../../service/endpoints/checks/check.ts';
import { DESCRIPTION_LINTS } from './lint-descriptions.ts';
import { overVariants } from '../../service/endpoints/variant-findings.ts';

/** An analysis whose query was parsed; offsets refer to the bound query. */
interface Read extends Analysis {
  readonly outline: Outline;
}

/** All lints, by the code of their warnings. */
export const LINTS: FileChecks<Read, object> = {
  ...DESCRIPTION_LINTS,
  'lint.unqualified_table': {
    title: 'Table without a database',
    help: 'The table would be resolved in the default database of the connection: write database.table.',
    severity: 'warning',
    *check(read) {
      const { tree } = read;
      const elements = new Set([...read.outline.elements.map(({ name }) => name), ...definedTables(tree)]);
      for (const { parts } of nodesOf(tree.root, 'source')) {
        const [table] = parts;
        const isBare = table?.kind === 'table' && table.to === table.from + 1;
        const name = isBare ? nameOf(tree, table) : '';
        if (table === undefined || name === '' || elements.has(name)) continue;
        yield {
          ...at(read, table.from),
          message: `${name} is resolved in the default database of the connection`,
          hint: `Write database.${name}`,
        };
      }
    },
  },
  'lint.select_star': {
    title: 'SELECT * from a table',
    help: 'Adding or dropping a column of the table changes the response: list the columns.',
    severity: 'warning',
    *check(read) {
      const { outline, tree } = read;
      const stars = nodesOf(tree.root, 'list').flatMap(({ parts: [first] }) =>
        first?.kind === 'star' && first.at === first.from ? [first] : [],
      );
      const star = stars.find((each) => spanOf(tree, each).start > outline.mainStart);
      if (star === undefined || outline.elements.some(({ name }) => name === outline.from)) return;
      yield {
        ...at(read, star.at),
        message: 'adding or dropping a column of the table changes the response',
        hint: 'List the columns',
      };
    },
  },
  'lint.unused_table': {
    title: 'Unused table in the WITH clause',
    help: 'Remove it, or enable the sandbox so that consumers can read it.',
    severity: 'warning',
    *check(read) {
      if (read.file.sandbox?.enabled === true) return; // consumers read them
      const uses = new Map<string, number>();
      for (const { name } of nameTokens(read.tree)) uses.set(name, (uses.get(name) ?? 0) + 1);
      for (const element of read.outline.elements) {
        if ((uses.get(element.name) ?? 0) > 1) continue;
        const { path, offset } = read.inBound(element.nameStart);
        if (read.document.isIncluded(path, offset)) continue;
        yield {
          ...read.inBound(element.nameStart),
          message: `${element.name} is never read`,
          hint: 'Remove it, or enable the sandbox so that consumers can read it',
        };
      }
    },
  },
  'lint.order_in_table': {
    title: 'Redundant ORDER BY',
    help: 'The main query sorts the rows again: remove the inner ORDER BY.',
    severity: 'warning',
    *check(read) {
      const { file, tree } = read;
      if (file.sandbox?.enabled === true) return; // consumers may rely on it
      if (!membersOf(tree.root).some((each) => partOf(each, 'order-by') !== undefined)) return;
      for (const element of nodesOf(tree.root, 'with-table')) {
        const [select] = partOf(element, 'subquery')?.parts ?? [];
        const order = select && partOf(select, 'order-by');
        if (select === undefined || order === undefined || nodesOf(select, 'limit').length > 0) continue;
        const place = at(read, order.from);
        if (read.document.isIncluded(place.path, place.offset ?? 0)) continue; // other endpoints may need it
        yield {
          ...place,
          message: `the rows of ${nameOf(tree, element)} are sorted here and again by the main query`,
          hint: 'Remove this ORDER BY',
        };
      }
    },
  },
  'lint.limit_over_max_rows': {
    title: 'LIMIT above max_rows',
    help: 'Responses are truncated at max_rows first.',
    severity: 'warning',
    *check(read) {
      const { file, tree } = read;
      const [number, ...others] =
        membersOf(tree.root)
          .at(-1)
          ?.parts.findLast(({ kind }) => kind === 'limit')?.parts ?? [];
      if (number?.kind !== 'number') return;
      const rows = Number(textOf(tree, number));
      const maxRows = file.max_rows ?? 1000;
      const isOfAll = others.length === 0 || wordOf(tree, { at: number.to }) === 'OFFSET';
      if (!(rows > maxRows) || !isOfAll || others.some(({ kind }) => kind === 'limit-by')) return;
      yield {
        ...at(read, number.from),
        message: `responses are truncated at max_rows (${maxRows}) before this LIMIT applies`,
        hint: `Set max_rows: ${rows}, or lower the LIMIT`,
      };
    },
  },
  'lint.regex_parameter': {
    title: 'Regular expression parameter without validation',
    help: 'With format: regex, an invalid expression is rejected with 400; without it, the query fails with 500.',
    severity: 'warning',
    *check({ file, bound, tree }) {
      for (const use of bound.uses) {
        const spec = file.parameters?.[use.name];
        if (spec === undefined || spec.format === 'regex' || spec.enum !== undefined) continue;
        const { name, position } = argumentAt(tree, tokenAt(tree, use.boundStart));
        if (!REGEX_FUNCTIONS.has(name) || position !== 1) continue;
        yield {
          path: ['parameters', use.name],
          onKey: true,
          message: `the query uses @${use.name} as a regular expression: an invalid one fails with 500`,
          hint: 'Add format: regex, so that invalid expressions are rejected with 400',
        };
        return;
      }
    },
  },
  'lint.cache_per_timestamp': {
    title: 'Cache keyed by a timestamp',
    help: 'Every timestamp gets its own cache entry, which is rarely requested again. Use a Date, an enum of time windows, or relative times such as now-1h with round, which calls share.',
    severity: 'warning',
    *check({ file, parameters }) {
      if (typeof file.cache !== 'object') return;
      for (const [name, { enum: allowed, round }] of Object.entries(file.parameters ?? {})) {
        const moments = parameters.get(name)?.moments;
        if (moments === undefined || moments.scale.isDate || allowed !== undefined || round !== undefined)
          continue;
        if (moments.fallback !== undefined) continue; // lint.relative_not_rounded
        yield {
          path: ['parameters', name],
          onKey: true,
          message: `every timestamp sent as ${name} gets its own cache entry, which is rarely requested again`,
          hint: 'Set round: 60s, so that callers who send now-1h share responses, or use a Date or an enum of time windows',
        };
      }
    },
  },
  'lint.relative_not_rounded': {
    title: 'A relative default without rounding on a cached endpoint',
    help: 'Such a default is another time in every call, so that cached responses are never used. With round: 60s, calls within a minute have the same value.',
    severity: 'warning',
    *check({ file, parameters }) {
      if (typeof file.cache !== 'object') return;
      for (const { name, moments } of parameters.values()) {
        const isCoarse = moments?.scale.isDate === true || file.parameters?.[name]?.round !== undefined;
        const { fallback } = moments ?? {};
        const isRounded = fallback?.steps.some(({ kind }) => kind === 'round') === true;
        if (fallback === undefined || fallback.parameter !== undefined || isCoarse || isRounded) continue;
        yield {
          path: ['parameters', name, 'default'],
          message:
            'the default is another time in every call, so that no call gets the cached response of another',
          hint: 'Add round: 60s',
        };
      }
    },
  },
  'lint.nullable_redundant': {
    title: 'Nullable for an optional parameter',
    help: 'An optional parameter without a default is NULL if it is not sent. Nullable is needed only with required or a default, so that callers can send null.',
    severity: 'warning',
    *check({ file, parameters }) {
      for (const { name, type, required } of parameters.values()) {
        if (type.kind !== 'scalar' || !type.isNullable || required) continue;
        if (file.parameters?.[name]?.default !== undefined) continue;
        yield {
          path: ['parameters', name, 'type'],
          message: 'an optional parameter without a default is NULL if it is not sent: Nullable adds nothing',
          hint: `Write ${type.scalar.name.slice(0, 100)}`,
        };
      }
    },
  },
  'lint.warming_without_examples': {
    title: 'Warming of examples without examples',
    help: 'Add examples, or remove examples: true under warming.',
    severity: 'warning',
    *check({ file }) {
      const examples = file.examples ?? [];
      if (file.warming?.examples !== true || examples.some(isShown)) return;
      yield {
        path: ['warming', 'examples'],
        message:
          examples.length === 0
            ? 'warming.examples is set, but there are no examples'
            : 'warming.examples is set, but all examples are for tests only: they have now, fixtures or test_only, or expect a rejection',
        hint: 'Add examples, or remove examples: true',
      };
    },
  },
  'lint.example_duplicate': {
    title: 'Two examples with one name',
    help: 'Reports and the explorer show examples by name: rename one of them.',
    severity: 'warning',
    *check({ file }) {
      const seen = new Set<string>();
      for (const [index, { name }] of (file.examples ?? []).entries()) {
        if (seen.has(name)) {
          yield {
            path: ['examples', index, 'name'],
            message: `two examples have the name ${JSON.stringify(name.slice(0, 100))}`,
            hint: 'Rename one of them: reports of millrace test and the explorer show the names',
          };
        }
        seen.add(name);
      }
    },
  },
  'lint.function_unknown': {
    title: 'Unknown function in sandbox.functions',
    help: 'A misspelled name allows or denies nothing. A function that only your ClickHouse server has is not known here.',
    severity: 'warning',
    *check({ file }) {
      for (const list of ['allow', 'deny'] as const) {
        for (const [index, name] of (file.sandbox?.functions?.[list] ?? []).entries()) {
          const { isKnown, nearest } = knownFunction(name);
          if (isKnown) continue;
          yield {
            path: ['sandbox', 'functions', list, index],
            message: `the engine has no function ${name}`,
            hint:
              didYouMean(nearest) ?? 'Remove it, unless your ClickHouse server has a function of that name',
          };
        }
      }
    },
  },
  'lint.parameter_as_column': {
    title: 'A parameter where a column is meant',
    help: "@name is the value that the caller sends, not the column of that name. Write the choices out: multiIf(@name = 'a', a, @name = 'b', b, NULL).",
    severity: 'warning',
    *check(read) {
      for (const use of read.bound.uses) {
        const place = placeOfConstant(read, use.name, tokenAt(read.tree, use.boundStart));
        if (place === undefined) continue;
        yield {
          ...read.inText(use.start),
          message: `${place}: @${use.name} is a constant, the value that the caller sends, and names no column`,
          hint: `Declare choices: { name: expression, … } instead of a type, or write ${choicesOf(use.name, read.file.parameters?.[use.name]?.enum)}`,
        };
      }
    },
  },
  'lint.null_comparison': {
    title: 'A comparison with NULL',
    help: 'The result of x = NULL, and of every other comparison with NULL, is NULL, which is never true: write x IS NULL or x IS NOT NULL.',
    severity: 'warning',
    *check(read) {
      const { tree } = read;
      for (const comparison of nodesOf(tree.root, 'binary')) {
        const operator = textOf(tree, { from: comparison.at, to: comparison.at + 1 });
        const operand = COMPARISONS.has(operator)
          ? comparison.parts.find((part) => isNull(tree, part))
          : undefined;
        if (operand === undefined) continue;
        yield {
          ...at(read, operand.from),
          message: `a comparison with NULL is never true: the result of ${operator} is NULL`,
          hint: `Write IS ${operator === '!=' || operator === '<>' ? 'NOT ' : ''}NULL`,
        };
      }
    },
  },
};

const COMPARISONS: ReadonlySet<string> = new Set(['=', '==', '!=', '<>', '<', '<=', '>', '>=']);
const AGGREGATES: ReadonlySet<string> = new Set(
  'sum min max avg any anylast count uniq uniqexact median stddevpop grouparray topk'.split(' '),
);

/** Says where a parameter on its own has no effect; undefined anywhere else. */
function placeOfConstant(read: Read, name: string, token: number): string | undefined {
  const { tree } = read;
  const around = nodesAround(tree.root, token);
  const [clause, parent, own] = around.slice(-3);
  if (own?.kind !== 'placeholder' || parent === undefined) return undefined;
  if (parent.kind === 'order-item') return 'ORDER BY a parameter has no effect';
  if (parent.kind === 'group-by') return 'GROUP BY a parameter has no effect';
  if (parent.kind === 'window' && wordOf(tree, { at: own.from - 1 }) === 'BY')
    return 'PARTITION BY a parameter has no effect';
  const isOnly = parent.kind === 'arguments' && parent.parts.length === 1 && !isDistinct(tree, parent);
  const called = isOnly && clause !== undefined ? nameOf(tree, clause).toLowerCase() : '';
  if (AGGREGATES.has(called)) return `${called}() of a parameter does not depend on the rows`;
  const isItem = parent.kind === 'alias' && clause?.kind === 'list';
  return isItem && isChoiceOfColumn(read, name, nameOf(tree, parent))
    ? 'this result is the same in all rows'
    : undefined;
}

/** `multiIf(@side = 'bid', bid, @side = 'ask', ask, NULL)`. */
function choicesOf(name: string, allowed: DeclaredParameter['enum'] = []): string {
  const [first, second] = allowed.map(String).filter((each) => /^[a-z_]\w*$/i.test(each));
  const branches = [first ?? 'a', second ?? 'b'].map((each) => `@${name} = '${each}', ${each}`);
  return `multiIf(${branches.join(', ')}, NULL)`;
}

/** `@side AS high`, with an enum of names of columns, which are in the query nowhere else. */
function isChoiceOfColumn({ file }: Read, name: string, alias: string): boolean {
  const choices = file.parameters?.[name]?.enum ?? [];
  return alias !== name && choices.length > 1 && choices.every((each) => /^[a-z_]\w*$/i.test(String(each)));
}

const REGEX_FUNCTIONS: ReadonlySet<string> = new Set(
  'match extract extractall extractgroups regexpextract countmatches replaceregexpone replaceregexpall'.split(
    ' ',
  ),
);

/** The warnings of all lints about all variants of the query, for a file without errors. */
export function lint(analysis: Analysis): readonly PathFinding[] {
  return overVariants(analysis, lintVariant);
}

const ALL = Object.entries(LINTS);

function lintVariant(analysis: Analysis): readonly PathFinding[] {
  const { outline } = analysis;
  return outline === undefined ? [] : runChecks(ALL, { ...analysis, outline }, {});
}

function at({ inBound, tree }: Read, token: number): Pick<UncodedFinding, 'path' | 'offset'> {
  return inBound(spanOf(tree, { from: token, to: token + 1 }).start);
}
