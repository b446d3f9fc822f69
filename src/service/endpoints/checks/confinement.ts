// Checks of what callers may read: the sandbox of consumer queries, tenants, and the redaction of personal data.
import type { PathFinding } from '../../../sql/base/finding.ts';
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import type { Analysis } from '../analysis.ts';
import { didYouMean } from '../../../sql/base/nearest.ts';
import { canonicalName } from '../../../guard/sandbox/functions/aliases.ts';
import { uncheckedBy } from '../../../guard/sandbox/functions/policy.ts';
import { isTable } from '../../../sql/clickhouse/outline.ts';
import { LOOKUPS, tableReferences } from '../../../sql/clickhouse/table-references.ts';
import type { FileChecks, UncodedFinding } from './check.ts';

export const HASH_WITHOUT_KEY = 'pii.hash_without_key';

export const CONFINEMENT_CHECKS: FileChecks = {
  'sandbox.unknown_table': {
    title: 'sandbox.tables names a table that the query does not have',
    help: 'Tables are those of the WITH clause of the query, and included ones. Names are in exact case.',
    *check({ file, variants }, { guess: nearest }) {
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
  },
  'sandbox.without_tables': {
    title: 'A sandbox without tables',
    help: 'Consumer queries read the tables of the WITH clause of the file, and included tables that sandbox.tables names: add one, or disable the sandbox.',
    perVariant: true,
    *check({ file, outline }) {
      if (file.sandbox?.enabled !== true || outline === undefined) return;
      if (outline.elements.some((element) => element.kind === 'table')) return;
      if (file.sandbox.tables?.[0] !== undefined && outline.elements.some(isTable)) return; // it names others, which is a finding
      yield {
        path: ['sandbox'],
        onKey: true,
        message: 'the query has no WITH clause with tables for consumer queries to read',
        hint: outline.elements.some(isTable)
          ? 'Name the included tables that consumers may read: sandbox: { tables: [name, …] }'
          : 'Add WITH name AS (SELECT …) before the query, or set sandbox: { enabled: false }',
      };
    },
  },
  'sandbox.function_unchecked': {
    title: 'A function that cannot be allowed',
    help: 'A string in a call of this function names a format, a type, a setting, a table or a file, or it returns the state of an aggregate function; the sandbox does not check that. Call the function in the WITH clause instead.',
    *check({ file }) {
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
  },
  'sandbox.function_reads': {
    title: 'Consumers may call a function that reads other tables',
    help: 'Functions such as dictGet and joinGet read dictionaries and tables by name, beyond the tables of the WITH clause: no condition of the file, and no tenancy, restricts what they return.',
    severity: 'warning',
    *check({ file }) {
      if (file.sandbox?.enabled !== true) return;
      for (const [index, name] of (file.sandbox.functions?.allow ?? []).entries()) {
        if (uncheckedBy(name) !== undefined) continue; // an error of its own
        if (!LOOKUPS.test(canonicalName(name.toLowerCase())) && !LOOKUPS.test(name)) continue;
        yield {
          path: ['sandbox', 'functions', 'allow', index],
          message: `with ${name}, consumer queries read dictionaries and Join tables, which no condition of this file restricts`,
          hint: 'Call it in the WITH clause, and give consumers the result as a column',
        };
      }
    },
  },
  'tenancy.contradiction': {
    title: 'tenancy.none together with other keys',
    help: 'Remove none, or the other keys.',
    *check({ file }) {
      for (const key of contradictions(file)) {
        yield {
          path: ['tenancy', key],
          onKey: true,
          message: `tenancy.none says that the endpoint has no tenants, and excludes ${key}`,
          hint: `Remove none, or ${key}`,
        };
      }
    },
  },
  'pii.hash_without_key': {
    title: 'Hashed columns without a secret',
    help: 'The operator must set MILLRACE_PII_HASH_KEY; otherwise use mask. In validate it is a warning, also with --strict, since CI rarely has the key.',
    *check({ file }, { piiHashKey }) {
      if (piiHashKey === undefined) yield* hashedColumns(file);
    },
  },
  'pii.source_not_redacted': {
    title: 'A read that cannot be redacted at the source',
    help: 'With pii: { at: source }, every table that the query reads is redacted before the query reads it. Table functions, dictionaries, joinGet, tables after IN, PREWHERE, SAMPLE and WITH RECURSIVE cannot be redacted so: write the query without them, or remove at: source.',
    perVariant: true,
    *check({ file, tree, outline, inBound }) {
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
  },
  'pii.min_group_without_sandbox': {
    title: 'min_group without consumer queries',
    help: 'pii.min_group suppresses small groups in the results of consumer queries. The author of a saved query writes HAVING count() >= n.',
    severity: 'warning',
    *check({ file }) {
      if (file.pii?.min_group === undefined || file.sandbox?.enabled === true) return;
      yield {
        path: ['pii', 'min_group'],
        onKey: true,
        message: 'min_group applies to consumer queries, which this endpoint does not accept',
        hint: `Write HAVING count() >= ${file.pii.min_group} in the query, or remove min_group`,
      };
    },
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
export function warnOfHashKey({ file }: Analysis): readonly PathFinding[] {
  return [...hashedColumns(file)].map(({ path }) => ({
    code: HASH_WITHOUT_KEY,
    severity: 'warning',
    path,
    message: 'the service needs a key to hash columns, and MILLRACE_PII_HASH_KEY is not set here',
    hint: 'Without the key, the service rejects this file: set it there',
  }));
}

/** Keys beside `none`, which excludes them. */
function contradictions({ tenancy }: EndpointFile): readonly string[] {
  if (tenancy?.none === undefined) return [];
  return Object.keys(tenancy).filter((key) => key !== 'none');
}
