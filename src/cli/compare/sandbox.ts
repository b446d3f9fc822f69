// Changes of consumer queries: languages, functions, and the tables they can read.
import { createFunctionPolicy } from '../../guard/sandbox/functions/policy.ts';
import type { Contract, ContractChange } from './contract.ts';
import type { QueryPart } from './query.ts';
import { behaviour, breaking, security, type ChangeKinds } from './change-kinds.ts';

export const SANDBOX_CHANGES = {
  'sandbox.enabled': security(
    'Consumer queries are enabled',
    'Keys that allow them can read every table of the WITH clause in full, which no response contained before.',
  ),
  'sandbox.disabled': breaking('Consumer queries are disabled', 'Calls with sql or lql get 400.'),
  'sandbox.language_added': security(
    'Consumer queries in one more language',
    'Keys that allow the language may send queries that were rejected.',
  ),
  'sandbox.language_removed': breaking('A query language is no longer accepted', 'Calls in it get 400.'),
  'sandbox.dialect_added': behaviour(
    'One more SQL dialect',
    'It reads nothing that SQL could not read already. Queries that were rejected may run, and a query that is valid in both dialects may mean something else.',
  ),
  'sandbox.dialect_removed': breaking('A dialect is no longer accepted', 'Calls in it get 400.'),
  'sandbox.dialects_reordered': behaviour(
    'Dialects are tried in a different order',
    'A query that is valid in both may mean something else. Calls that specify their dialect are not affected.',
  ),
  'sandbox.function_allowed': security(
    'Consumer queries may call one more function',
    'The list keeps out functions that read files, networks and other tables, or cost too much.',
  ),
  'sandbox.function_denied': breaking('A function is denied', 'Consumer queries that call it get 400.'),
  'sandbox.table_added': security(
    'One more table for consumer queries',
    'Every element name AS (SELECT …) of the WITH clause can be read in full, even if it was meant as an intermediate step.',
  ),
  'sandbox.table_removed': breaking('A sandbox table was removed', 'Consumer queries that read it get 400.'),
  'sandbox.default_table_changed': breaking(
    'LQL without a from clause reads another table',
    'LQL queries without it get different rows, or fail if the table lacks a column.',
  ),
} as const satisfies ChangeKinds;

export type SandboxChangeCode = keyof typeof SANDBOX_CHANGES;

export function* compareSandboxes(
  base: Contract,
  head: Contract,
): Generator<ContractChange<SandboxChangeCode>> {
  const [before, after] = [base.endpoint.sandbox, head.endpoint.sandbox];
  const path = ['sandbox', 'enabled'];
  if (after.enabled && !before.enabled) {
    const tables = tablesOf(head).map(({ name }) => name);
    yield {
      code: 'sandbox.enabled',
      message: `consumer queries are enabled and can read ${tables.join(', ')}`,
      path,
    };
  }
  if (before.enabled && !after.enabled)
    yield { code: 'sandbox.disabled', message: 'consumer queries are disabled', path };
  if (!before.enabled || !after.enabled) return;
  yield* compareLanguages(base, head);
  yield* compareDialects(base, head);
  yield* compareFunctions(base, head);
  yield* compareTables(base, head);
}

function tablesOf({ query }: Contract): readonly QueryPart[] {
  return query.parts.filter(({ kind }) => kind === 'table');
}

function* compareLanguages(base: Contract, head: Contract): Generator<ContractChange<SandboxChangeCode>> {
  const [before, after] = [base.endpoint.sandbox.languages, head.endpoint.sandbox.languages];
  const path = ['sandbox', 'languages'];
  for (const language of ['sql', 'lql'] as const) {
    if (before.has(language) === after.has(language)) continue;
    yield after.has(language)
      ? { code: 'sandbox.language_added', message: `consumer queries in ${language} are accepted`, path }
      : { code: 'sandbox.language_removed', message: `consumer queries in ${language} are rejected`, path };
  }
}

function* compareDialects(base: Contract, head: Contract): Generator<ContractChange<SandboxChangeCode>> {
  const [before, after] = [base.endpoint.sandbox.dialects, head.endpoint.sandbox.dialects];
  const path = ['sandbox', 'dialects'];
  for (const dialect of new Set([...before, ...after])) {
    if (before.includes(dialect) === after.includes(dialect)) continue;
    yield after.includes(dialect)
      ? { code: 'sandbox.dialect_added', message: `SQL in ${dialect} is accepted`, path }
      : { code: 'sandbox.dialect_removed', message: `SQL in ${dialect} is rejected`, path };
  }
  const kept = before.filter((dialect) => after.includes(dialect));
  if (kept.join() === after.filter((dialect) => before.includes(dialect)).join()) return;
  yield {
    code: 'sandbox.dialects_reordered',
    message: `dialects are tried in the order ${after.join(', ')}`,
    path,
  };
}

/** Compares the resulting sets: allowing a function that is on the list anyway changes nothing. */
function* compareFunctions(base: Contract, head: Contract): Generator<ContractChange<SandboxChangeCode>> {
  const sides = [base, head].map(({ endpoint }) => endpoint.sandbox);
  const named = new Map(
    sides.flatMap(({ allow, deny }) => [...allow, ...deny]).map((name) => [name.toLowerCase(), name]),
  );
  const [before, after] = sides.map((each) => createFunctionPolicy(each));
  for (const [, name] of [...named].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const isAllowed = after?.allows(name) === true;
    if (before?.allows(name) === isAllowed) continue;
    yield isAllowed
      ? {
          code: 'sandbox.function_allowed',
          message: `consumer queries may call ${name}`,
          path: ['sandbox', 'functions', 'allow'],
        }
      : {
          code: 'sandbox.function_denied',
          message: `consumer queries may not call ${name}`,
          path: ['sandbox', 'functions', 'deny'],
        };
  }
}

function* compareTables(base: Contract, head: Contract): Generator<ContractChange<SandboxChangeCode>> {
  const [before, after] = [tablesOf(base), tablesOf(head)];
  for (const { name, place } of after) {
    if (before.some((table) => table.name === name)) continue;
    yield {
      code: 'sandbox.table_added',
      message: `consumer queries can read ${name}`,
      ...place,
    };
  }
  for (const { name } of before) {
    if (after.some((table) => table.name === name)) continue;
    yield {
      code: 'sandbox.table_removed',
      message: `consumer queries can no longer read ${name}`,
      path: ['query'],
    };
  }
  const [old, now] = [defaultTable(base), defaultTable(head)];
  if (old === now || old === undefined) return;
  yield {
    code: 'sandbox.default_table_changed',
    message: `LQL without a from clause reads ${now ?? 'nothing'}, was ${old}`,
    ...(head.query.parts.at(-1)?.place ?? { path: ['query'], offset: 0 }),
  };
}

/** The table of the WITH clause that the main query reads, if there is exactly one. */
function defaultTable(contract: Contract): string | undefined {
  const { defaultTable: from } = contract.endpoint.outline;
  const isLql = contract.endpoint.sandbox.languages.has('lql');
  return isLql && tablesOf(contract).some(({ name }) => name === from) ? from : undefined;
}
