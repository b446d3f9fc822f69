// What must hold for an endpoint file beyond its schema: a table of rules, each yielding findings under its own code.
import { MAX_FINDINGS } from '../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import { Problem } from '../../sql/base/problem.ts';
import { createBinder } from '../params/binder.ts';
import type { BoundQuery } from '../../sql/clickhouse/placeholders.ts';
import { tableReferences } from '../../sql/clickhouse/table-references.ts';
import { nodesAround } from '../../sql/clickhouse/tree/places.ts';
import { tokenAt } from '../../sql/clickhouse/tree/tokens.ts';
import { wordOf } from '../../sql/clickhouse/tree/visit.ts';
import { isTable } from '../../sql/clickhouse/outline.ts';
import type { Analysis, RuleFinding } from './analysis.ts';
import { CAPACITY_RULES } from './capacity-rules.ts';
import { uncheckedBy } from '../../guard/sandbox/functions/policy.ts';
import { baseOf, defaultCycles, defaultReferences, defaultValues } from './default-rules.ts';
import { isRejectionExpected } from './expectation.ts';
import { overVariants } from './variant-findings.ts';
import { VARIANT_RULES } from './variant-rules.ts';
import { OUTSIDE_QUERY_RULES } from './outside-rules.ts';
import { LIVE_RULES } from './live-rules.ts';
import { PAGE_QUERY_RULES, PAGE_RULES } from './page-rules.ts';
import { VIEW_RULES } from './view-rules.ts';
import { VERSION_RULES } from './version-rules.ts';
import { contradictions } from './tenancy.ts';
import { explainPlaceholder, foreignPlaceholders, quotedParameters } from './foreign-placeholders.ts';
import type { RuleContext, Guess, Rule } from './rule.ts';
import type { UncodedFinding } from './rule.ts';

export const HASH_WITHOUT_KEY = 'pii.hash_without_key';

/** Rules about the query, by the code of their findings: checked for each variant. */
const QUERY_RULES: Readonly<Record<string, Rule>> = {
  ...PAGE_QUERY_RULES,
  ...OUTSIDE_QUERY_RULES,
  'parameter.undeclared': function* ({ bound, file, parameters, inText }, { guess: nearest }) {
    const declared = new Set(Object.keys(file.parameters ?? {}));
    for (const use of bound.uses) {
      if (declared.has(use.name) || parameters.has(use.name)) continue;
      const guess = nearest(use.name, declared);
      yield {
        ...inText(use.start),
        message: `@${use.name} is not declared under parameters`,
        hint: didYouMean(guess && `@${guess}`) ?? `Declare it: parameters: { ${use.name}: { type: String } }`,
      };
    }
  },
  'parameter.optional_limit': function* (analysis) {
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
  'parameter.as_table': function* ({ tree, bound, inText }) {
    for (const use of bound.uses) {
      if (nodesAround(tree.root, tokenAt(tree, use.boundStart)).at(-2)?.kind !== 'table') continue;
      yield {
        ...inText(use.start),
        message: 'a parameter is a value, and cannot be the name of a table',
        hint: 'Name the tables as choices of the parameter: choices: { name: database.table }',
      };
    }
  },
  'sandbox.without_tables': function* ({ file, outline }) {
    if (file.sandbox?.enabled !== true || outline === undefined) return;
    if (outline.elements.some((element) => element.kind === 'table')) return;
    yield {
      path: ['sandbox'],
      onKey: true,
      message: 'the query has no WITH clause with tables for consumer queries to read',
      hint: outline.elements.some(isTable)
        ? 'Name the included tables that consumers may read: sandbox: { tables: [name, …] }'
        : 'Add WITH name AS (SELECT …) before the query, or set sandbox: { enabled: false }',
    };
  },
  'pii.source_not_redacted': function* ({ file, tree, outline, inBound }) {
    if (file.pii?.at !== 'source' || outline === undefined) return;
    const { references, faults } = tableReferences(tree);
    for (const { start, message, hint } of faults) yield { ...inBound(start), message, hint };
    if (references.length > 0 || faults.length > 0) return;
    yield {
      path: ['pii', 'at'],
      message: 'the query reads no table that could be redacted',
      hint: 'Remove at: source',
    };
  },
};

/** Rules about the file. */
export const FILE_RULES: Readonly<Record<string, Rule>> = {
  ...VARIANT_RULES,
  ...VERSION_RULES,
  ...PAGE_RULES,
  ...VIEW_RULES,
  ...LIVE_RULES,
  ...CAPACITY_RULES,
  'parameter.unused': function* ({ used: ofQuery, file, parameters }, { guess: nearest }) {
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
          guess === undefined ? `Write @${name} in the query, or remove it here` : `The query uses @${guess}`,
      };
    }
  },
  'parameter.default_reference': defaultReferences,
  'parameter.default_cycle': defaultCycles,
  'parameter.default_invalid': (analysis, { now }) => defaultValues(analysis, now()),
  'query.foreign_placeholder': function* ({ file }) {
    const declared = Object.keys(file.parameters ?? {});
    for (const placeholder of foreignPlaceholders(file.query))
      yield {
        path: ['query'],
        offset: placeholder.start,
        ...(placeholder.kind === 'quoted' ? { severity: 'warning' as const } : {}),
        ...explainPlaceholder(placeholder, declared),
      };
  },
  'query.quoted_parameter': function* ({ file }) {
    const declared = new Set(Object.keys(file.parameters ?? {}));
    for (const { start, name, meant } of quotedParameters(file.query, declared)) {
      yield {
        severity: 'warning',
        path: ['query'],
        offset: start,
        message: `@${name} in a string is not replaced by the value of the parameter`,
        hint: `Write ${meant.slice(0, 200)}`,
      };
    }
  },
  'tenancy.contradiction': function* ({ file }) {
    for (const key of contradictions(file)) {
      yield {
        path: ['tenancy', key],
        onKey: true,
        message: `tenancy.none says that the endpoint has no tenants, and excludes ${key}`,
        hint: `Remove none, or ${key}`,
      };
    }
  },
  'warming.without_cache': function* ({ file }) {
    if (file.warming === undefined || typeof file.cache === 'object') return;
    yield {
      path: ['warming'],
      onKey: true,
      message: 'warming refreshes cached responses, but this endpoint has no cache',
      hint: 'Add cache: { ttl: … }, or remove warming',
    };
  },
  'warming.slower_than_ttl': function* ({ file }) {
    if (file.warming === undefined || typeof file.cache !== 'object') return;
    if (file.warming.every <= file.cache.ttl) return;
    yield {
      path: ['warming', 'every'],
      message: `responses expire after ${file.cache.ttl} s, before warming runs at ${file.warming.every} s`,
      hint: `Set it to at most ${file.cache.ttl}`,
    };
  },
  'cache.refresh_over_ttl': function* ({ file }) {
    if (typeof file.cache !== 'object' || (file.cache.min_refresh ?? 0) <= file.cache.ttl) return;
    yield {
      path: ['cache', 'min_refresh'],
      message: `min_refresh is longer than ttl (${file.cache.ttl} s)`,
      hint: `Set it to at most ${file.cache.ttl}`,
    };
  },
  'cache.check_without_until': function* ({ file }) {
    if (typeof file.cache !== 'object' || file.cache.check === undefined || file.cache.until !== undefined)
      return;
    yield {
      path: ['cache', 'check'],
      onKey: true,
      message: 'check is how often data is checked for changes, which needs until: data',
      hint: 'Add until: data, or remove check',
    };
  },
  'cache.check_over_ttl': function* ({ file }) {
    if (typeof file.cache !== 'object' || (file.cache.check ?? 0) <= file.cache.ttl) return;
    yield {
      path: ['cache', 'check'],
      message: `check is longer than ttl (${file.cache.ttl} s)`,
      hint: `Set it to at most ${file.cache.ttl}`,
    };
  },
  'sandbox.unknown_table': function* ({ file, variants }, { guess: nearest }) {
    if (variants.some(({ outline }) => outline === undefined)) return;
    const elements = variants.flatMap(({ outline }) => outline?.elements ?? []);
    const tables = new Set(elements.filter(isTable).map(({ name }) => name));
    for (const [index, name] of (file.sandbox?.tables ?? []).entries()) {
      if (tables.has(name)) continue;
      const hint = didYouMean(nearest(name, tables));
      yield {
        path: ['sandbox', 'tables', index],
        message: `the query has no table ${name}, in its WITH clause or included`,
        ...(hint && { hint }),
      };
    }
  },
  'sandbox.function_unchecked': function* ({ file }) {
    for (const [index, name] of (file.sandbox?.functions?.allow ?? []).entries()) {
      const reason = uncheckedBy(name);
      if (reason === undefined) continue;
      yield {
        path: ['sandbox', 'functions', 'allow', index],
        message: `consumer queries cannot be allowed to call ${name}: ${reason}, which the sandbox does not check`,
        hint: 'Call it in the WITH clause, and give consumers the result as a column',
      };
    }
  },
  'labels.unknown_parameter': function* ({ file }, { guess: nearest }) {
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
  'reservation.without_workloads': function* ({ file }) {
    if (file.reservation?.enabled !== true || (file.reservation.workloads ?? []).length > 0) return;
    yield {
      path: ['reservation'],
      onKey: true,
      message: 'reservation is enabled, but no workload is listed',
      hint: 'Add workloads: [name, …]',
    };
  },
  'pii.hash_without_key': function* ({ file }, { piiHashKey }) {
    if (piiHashKey === undefined) yield* hashedColumns(file);
  },
  'pii.min_group_without_sandbox': function* ({ file }) {
    if (file.pii?.min_group === undefined || file.sandbox?.enabled === true) return;
    yield {
      severity: 'warning',
      path: ['pii', 'min_group'],
      onKey: true,
      message: 'min_group applies to consumer queries, which this endpoint does not accept',
      hint: `Write HAVING count() >= ${file.pii.min_group} in the query, or remove min_group`,
    };
  },
  'example.invalid': function* ({ file, parameters }, { now }) {
    const declared = Object.keys(file.parameters ?? {});
    if (parameters.size < declared.length) return; // findings of the parameters themselves come first
    const binder = createBinder([...parameters.values()], { unknown: 'reject' });
    for (const [index, example] of (file.examples ?? []).entries()) {
      if (isRejectionExpected(example.expect)) continue;
      const at = example.now === undefined ? now() : Date.parse(example.now);
      const sent = Object.entries(example.parameters ?? {}).map(([name, value]) => [name, [value]] as const);
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
};

function* hashedColumns({ pii }: Analysis['file']): Iterable<UncodedFinding> {
  for (const [column, action] of Object.entries(pii?.columns ?? {})) {
    if (action !== 'hash') continue;
    yield {
      path: ['pii', 'columns', column],
      message: 'columns cannot be hashed: no hash key is configured',
      hint: 'Set MILLRACE_PII_HASH_KEY, or use mask',
    };
  }
}

/** For an operator's key that is not known here: a warning for each column that needs it. */
export function warnOfHashKey({ file }: Analysis): readonly RuleFinding[] {
  return [...hashedColumns(file)].map(({ path }) => ({
    code: HASH_WITHOUT_KEY,
    severity: 'warning',
    path,
    message: 'the service needs a key to hash columns, and MILLRACE_PII_HASH_KEY is not set here',
    hint: 'Without the key, the service rejects this file: set it there',
  }));
}

/** The uses of parameters as arguments of LIMIT and OFFSET: `LIMIT @a`, `LIMIT @b, @a`, `OFFSET @b`. */
function limitUses({ tree, bound }: Analysis): BoundQuery['uses'] {
  return bound.uses.filter(({ boundStart }) => {
    const token = tokenAt(tree, boundStart);
    const isNext = /^(?:LIMIT|OFFSET)$/.test(wordOf(tree, { at: token - 1 })); // also after a fault
    return isNext || nodesAround(tree.root, token).at(-2)?.kind === 'limit';
  });
}

function bindFailures(bind: () => unknown): readonly { parameter: string; message: string }[] {
  try {
    bind();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ parameter = '', message }) => ({ parameter, message }));
  }
}

/** The findings of the rules about the query, and of these rules about the file. */
export function checkRules(
  analysis: Analysis,
  context: RuleContext,
  ofFile: Readonly<Record<string, Rule>>,
): readonly RuleFinding[] {
  const check = (rules: Readonly<Record<string, Rule>>, variant: Analysis): readonly RuleFinding[] =>
    Object.entries(rules).flatMap(([code, rule]) =>
      [...rule(variant, { ...context, guess: createGuess() })].map((finding) => ({ code, ...finding })),
    );
  return [...overVariants(analysis, (variant) => check(QUERY_RULES, variant)), ...check(ofFile, analysis)];
}

/** Rules about a shared file, whatever includes it. */
export const SHARED_RULES: typeof FILE_RULES = {
  ...VARIANT_RULES,
  ...Object.fromEntries(
    Object.entries(FILE_RULES).filter(([code]) =>
      /^query\.(foreign_placeholder|quoted_parameter)$/.test(code),
    ),
  ),
};

/** All rules, by the code of their findings. */
export const RULES = { ...QUERY_RULES, ...FILE_RULES };

function createGuess(): Guess {
  let left = MAX_FINDINGS;
  return (word, candidates) => (left-- > 0 ? nearest(word, candidates) : undefined);
}
