// Result columns that are made of personal data which the file redacts under another name.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import { flowOfPart, type ColumnFlow } from '../../guard/query/flow/flow.ts';
import { possiblePaths } from '../../guard/redact/subcolumn-name.ts';
import { nodesOf, nameOf, namesOf, spanOf } from '../../sql/clickhouse/tree/visit.ts';
import { nameTokens } from '../../sql/clickhouse/tree/tokens.ts';
import { parseColumnType } from '../../sql/types/column-type.ts';
import { partRules, ruleFor } from './column-rules.ts';
import type { AnalysedEndpoint, EndpointQuery, ModelledQuery } from './query-models.ts';
import { rangeOf, whatReads } from './tenancy-check.ts';
import type { QueryPlace } from './variant-query.ts';

export const PII_FLOW_CODES: Codes = {
  'pii.not_redacted': {
    title: 'A column that is made of a redacted one',
    help: 'pii.columns redacts a stored column under one name, but another result column returns it as well, as it is (an error) or through functions such as upper (a warning). Numbers about many rows, hashes and comparisons need no rule. Give the column a rule, or leave it out.',
  },
  'pii.not_analysed': {
    title: 'A query whose columns cannot be followed',
    help: 'The file redacts columns, but validate cannot determine what the columns of this query are made of. Write the query differently, or add an example with values that it accepts.',
  },
};

/** A result column without a rule that is made of a stored column which a rule redacts elsewhere in the file. */
export interface UnredactedColumn extends ExposedColumn {
  readonly finding: PathFinding;
}

interface ExposedColumn {
  readonly query: EndpointQuery;
  readonly column: string;
  readonly source: ColumnFlow;
  /** The result column that has the rule. */
  readonly redactedAs: string;
}

/** Rules for columns, of a file or of a compiled endpoint. */
type ColumnRules = NonNullable<Parameters<typeof ruleFor>[0]> & { readonly at?: string };

/** A stored column that a rule applies to. */
interface Redacted {
  readonly table: string;
  readonly column: string;
  readonly as: string;
}

/**
 * Columns of the saved query and of the tables of the sandbox that need a rule in `pii.columns` since another column, made of
 * the same stored column, has one, or had one in an `earlier` revision. Numbers about many rows, hashes and conditions need none.
 */
export function findUnredacted(
  inspected: AnalysedEndpoint,
  models: readonly ModelledQuery[],
  earlier?: { readonly inspected: AnalysedEndpoint; readonly models: readonly ModelledQuery[] },
): readonly UnredactedColumn[] {
  const { pii } = inspected.analysis.file;
  if (pii?.columns === undefined) return [];
  const piiBefore = earlier?.inspected.analysis.file.pii ?? {};
  const redacted = [
    ...models.flatMap((each) => redactedIn(pii, each)),
    ...(earlier?.models ?? []).flatMap((each) => redactedIn(piiBefore, each)),
  ];
  const found = new Map<string, UnredactedColumn>(); // by location and column: the saved query reads the sandbox's tables
  for (const modelled of models) {
    for (const exposed of unredactedIn(pii, modelled, redacted)) {
      const finding = findingOf(inspected, exposed);
      const key = `${finding.path.join('.')} ${finding.offset ?? 0} ${exposed.column}`;
      if (!found.has(key)) found.set(key, { ...exposed, finding });
    }
  }
  return [...found.values()];
}

/** Returns the message for a column of the queries that is a redacted one as it is, without a rule; undefined if none is known to be one. */
export function exposedColumn(pii: ColumnRules, models: readonly ModelledQuery[]): string | undefined {
  const redacted = models.flatMap((each) => redactedIn(pii, each));
  const exposed = models.flatMap((each) => unredactedIn(pii, each, redacted));
  const known = exposed.find(({ source }) => source.kind === 'value' && source.table !== '');
  return known && messageOf(known);
}

/** At most one per result column. */
function unredactedIn(
  pii: ColumnRules,
  { query, result }: ModelledQuery,
  redacted: readonly Redacted[],
): readonly ExposedColumn[] {
  if ('fault' in result) return [];
  return result.model.columns.flatMap(({ name, flow }, index) => {
    if (ruleFor(pii, name) !== undefined) return [];
    const parts = partRules(pii, name).flatMap((path) =>
      flowOfPart(result.model.root, index, path.split('.')),
    );
    const ruleOf = (source: ColumnFlow): Redacted | undefined =>
      redacted.find((each) => isMadeOf(source, each) && !isCovered(pii, name, source, each));
    const isAtSource = query.table === undefined && pii.at === 'source';
    const source = flow
      .filter(isExposed)
      // The table that the query reads has a rule for it.
      .filter(({ column }) => !isAtSource || ruleFor(pii, column) === undefined)
      .find((each) => ruleOf(each) !== undefined && !parts.some((part) => isSameColumn(part, each)));
    const redactedAs = source && ruleOf(source)?.as;
    if (source === undefined || redactedAs === undefined) return [];
    return [{ query, column: name, source, redactedAs }];
  });
}

/** Findings for queries whose columns cannot be followed although the file redacts some of them. */
export function findNotFollowed(
  inspected: AnalysedEndpoint,
  models: readonly ModelledQuery[],
): readonly PathFinding[] {
  const { pii } = inspected.analysis.file;
  if (pii?.columns === undefined) return [];
  const faults = models.flatMap(({ query, result }) =>
    'fault' in result ? [{ query, fault: result.fault }] : [],
  );
  return faults.map(({ query, fault }) => ({
    code: 'pii.not_analysed',
    ...inspected.analysis.inBound(rangeOf(inspected, query.table).start),
    message: `cannot determine which columns of ${whatReads(query)} are made of redacted ones: ${fault}`,
    hint: 'Write the query differently, or add an example with values that the query accepts. Without pii.columns, no column has a rule by name',
  }));
}

function redactedIn(pii: ColumnRules, { result }: ModelledQuery): readonly Redacted[] {
  if ('fault' in result) return [];
  return result.model.columns.flatMap(({ name, flow }, index) => {
    if (ruleFor(pii, name) !== undefined) return sourcesOfRule(flow, name);
    return partRules(pii, name).flatMap((path) =>
      sourcesOfRule(flowOfPart(result.model.root, index, path.split('.')), `${name}.${path}`),
    );
  });
}

/** Of what is put together in one column, such as a name and an id, these are rarely personal. */
const IMPERSONAL: ReadonlySet<string> = new Set(['number', 'boolean', 'time', 'uuid']);

/** What a redacted column is made of. */
function sourcesOfRule(flow: readonly ColumnFlow[], as: string): readonly Redacted[] {
  const made = flow.filter(isExposed);
  const isOnly = new Set(made.map(({ table, column }) => `${table}.${column}`)).size === 1;
  return made
    .filter(({ type }) => isOnly || !IMPERSONAL.has(parseColumnType(type).kind))
    .map(({ table, column }) => ({ table, column, as }));
}

function isExposed({ kind }: ColumnFlow): boolean {
  return kind === 'value' || kind === 'computed' || kind === 'unknown';
}

function isSameColumn(a: ColumnFlow, b: ColumnFlow): boolean {
  return a.table === b.table && a.column === b.column;
}

/** Returns whether one contains the other, such as a tuple its element. What cannot be followed may be anything. */
function isMadeOf({ table, column, kind }: ColumnFlow, redacted: Redacted): boolean {
  if (kind === 'unknown' && table === '') return true;
  if (table !== redacted.table) return false;
  const others = possiblePaths(redacted.column).map((each) => each.toLowerCase());
  return possiblePaths(column)
    .map((each) => each.toLowerCase())
    .some((own) => own === '*' || others.some((other) => isPartOf(own, other) || isPartOf(other, own)));
}

function isPartOf(path: string, whole: string): boolean {
  return path === whole || path.startsWith(`${whole}.`);
}

/** Returns whether a rule for a part of the result column applies to the redacted part of the stored one. */
function isCovered(
  pii: ColumnRules,
  name: string,
  { column, kind }: ColumnFlow,
  redacted: Redacted,
): boolean {
  if (kind !== 'value' || !redacted.column.startsWith(`${column}.`)) return false;
  return ruleFor(pii, name + redacted.column.slice(column.length)) !== undefined;
}

function findingOf(inspected: AnalysedEndpoint, exposed: ExposedColumn): PathFinding {
  const { query, column, source, redactedAs } = exposed;
  const action = ruleFor(inspected.analysis.file.pii, redactedAs) ?? 'mask';
  const isValue = source.kind !== 'computed';
  return {
    code: 'pii.not_redacted',
    ...(isValue ? {} : { severity: 'warning' }),
    ...placeOf(inspected, query, column, source),
    message: messageOf(exposed),
    hint: `Add ${column}: ${action} to pii.columns, or leave the column out${isValue ? '' : '. If it contains no personal data, write -- millrace-ignore: pii.not_redacted on this line'}`,
  };
}

function messageOf({ query, column, source, redactedAs }: ExposedColumn): string {
  const { table, column: stored, kind } = source;
  const what = table === '' ? 'a column that cannot be followed' : `${table}.${stored}`;
  return `${column} of ${whatReads(query)} is ${kind === 'computed' ? `a function of ${what}` : what}, which pii.columns redacts only as ${redactedAs}`;
}

/** Where the author names the result column, otherwise the stored one, in the query that returns it. */
function placeOf(
  inspected: AnalysedEndpoint,
  { table }: EndpointQuery,
  column: string,
  source: ColumnFlow,
): QueryPlace {
  const { tree, inBound } = inspected.analysis;
  const range = rangeOf(inspected, table);
  const isOwn = (offset: number): boolean => offset >= range.start && offset < range.end;
  const stored = source.column.split('.').at(-1) ?? '';
  const offsetOf = (at: number): number => spanOf(tree, { from: at, to: at + 1 }).start;
  const named = (name: string): readonly number[] =>
    nameTokens(tree).flatMap((each) => (each.name === name ? [offsetOf(each.at)] : []));
  const aliases = nodesOf(tree.root, 'alias')
    .filter((node) => nameOf(tree, node) === column)
    .map(({ at }) => offsetOf(at));
  const listed = nodesOf(tree.root, 'list')
    .flatMap(({ parts }) => parts)
    .filter((item) => item.kind === 'column' && namesOf(tree, item).at(-1) === column)
    .map(({ to }) => offsetOf(to - 1));
  const places = [
    ...aliases.filter(isOwn),
    ...aliases,
    ...[...listed, ...named(column), ...named(stored)].filter(isOwn),
  ];
  return inBound(places[0] ?? range.start);
}
