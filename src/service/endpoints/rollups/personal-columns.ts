// Finds columns of rollups that endpoints redact: the tables of a rollup would have their values as they are.
import type { Finding, PathFinding } from '../../../sql/base/finding.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { parseList } from '../../../sql/clickhouse/tree/parse-part.ts';
import { nodesOf, namesOf } from '../../../sql/clickhouse/tree/visit.ts';
import { locateAll } from '../../config/locate-finding.ts';
import { referenceOf, type EndpointHead } from '../endpoint.ts';
import type { RollupDeclaration } from './read-rollups.ts';

interface RedactedColumn {
  readonly name: string;
  readonly endpoint: string;
}

export function personalColumns(
  declared: readonly RollupDeclaration[],
  endpoints: readonly EndpointHead[],
): readonly Finding[] {
  const redacting = endpoints.filter(({ redaction }) => Object.keys(redaction.columns).length > 0);
  const byTable = new Map<string, RedactedColumn[]>();
  for (const endpoint of redacting)
    for (const table of tablesOf(endpoint))
      byTable.set(table, [...(byTable.get(table) ?? []), ...columnsOf(endpoint)]);
  return declared.flatMap((each) => {
    const { database, table } = each.rollup.source;
    return locateAll(each.document, findingsOf(each, byTable.get(`${database}.${table}`) ?? []));
  });
}

function tablesOf({ query }: EndpointHead): ReadonlySet<string> {
  const tree = parseSavedText(query);
  return new Set(nodesOf(tree.root, 'table').map((node) => namesOf(tree, node).join('.')));
}

function columnsOf(endpoint: EndpointHead): readonly RedactedColumn[] {
  return Object.keys(endpoint.redaction.columns).map((name) => ({ name, endpoint: referenceOf(endpoint) }));
}

function findingsOf(
  { rollup, index }: RollupDeclaration,
  redacted: readonly RedactedColumn[],
): readonly PathFinding[] {
  const check = (list: string, place: number, expressions: readonly string[]): readonly PathFinding[] => {
    const names = expressions.flatMap(columnsIn);
    const found = redacted.find(({ name }) => names.some((each) => overlaps(each, name)));
    if (found === undefined) return [];
    const { name, endpoint } = found;
    return [
      {
        code: 'rollup.personal_data',
        severity: 'warning',
        path: ['rollups', index, list, place],
        message: `${endpoint} redacts ${name}, and the rollup keeps it as it is`,
        hint: 'Leave it out: queries over the redacted column read the rows',
      },
    ];
  };
  return [
    ...rollup.dimensions.flatMap(({ expression }, place) => check('dimensions', place, [expression])),
    ...rollup.measures.flatMap((measure, place) => check('measures', place, measure.arguments)),
  ];
}

function columnsIn(expression: string): readonly string[] {
  const tree = parseList(expression);
  return nodesOf(tree.root, 'column').map((node) => namesOf(tree, node).join('.'));
}

/** A path is a part of its column, and a column has its paths. */
function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}
