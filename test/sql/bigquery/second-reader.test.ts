// A check of the BigQuery reader: the tables and columns that node-sql-parser finds in the same queries. It knows less of the
// language and lists names without their scopes, so the lists differ; every difference has one of the reasons below.
import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { UnconvertedError } from '../../../src/sql/dialects/context.ts';
import { openOtherReader, ownLists, type NameLists } from './name-lists.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const PAIRS = parse(read('pairs.yaml')) as readonly { readonly text: string }[]; // a list of such pairs
const LINES = read('../../conformance/bigquery.jsonl').trim().split('\n');
const SENT = LINES.map((line) => (JSON.parse(line) as { readonly sql: string }).sql); // every line has one
const TEXTS = [...new Set([...PAIRS.map(({ text }) => text), ...SENT])];

/** What node-sql-parser's BigQuery grammar does not have. Each text that it rejects has one of them. */
const UNPARSED: Readonly<Record<string, RegExp>> = {
  'an element of an array, and then one of its fields': /\)\]\s*\./i,
  'a string in three quotes': /"""/,
  'a comma after the last element': /,\s*(?:\)|from\b)/i,
  'GROUP BY ALL': /\bgroup by all\b/i,
  'IS DISTINCT FROM': /\bis (?:not )?distinct from\b/i,
  'NULLS FIRST and NULLS LAST': /\bnulls (?:first|last)\b/i,
  'a part of EXTRACT': /\bextract\((?:date|dayofweek|isoweek)\b/i,
  'bitwise operators': / [&|^] |~\d/,
  'DISTINCT or ORDER BY in array_agg and string_agg':
    /\b(?:array_agg|string_agg)\([^()]*(?:distinct|order by)\b/i,
  'a column of * REPLACE': /\* (?:except \([^)]*\) )?replace\b/i,
  'a field of STRUCT(…)': /\bas c\)\.c\b/i,
  'QUALIFY before a function': /\bqualify row_number\(/i,
  'DISTINCT in an aggregate function of a long path': /\((?:distinct) \w+\.\w+\.\w+\)/i,
  'a join in parentheses': /(?:join|from)\s*\(\s*\(?(?!select\b)|from \(\(select/i,
  'a cast with ::': /::/,
  ILIKE: /\bilike\b/i,
  "an interval without a unit, '1 day'": /\binterval '\d+ \w+'/i,
  'a name that is a keyword elsewhere': /\bas call\b/i,
};

/** Differences of the lists that have a reason: names that only one of the two lists has. */
interface Difference {
  readonly text: string;
  readonly own: NameLists;
  readonly name: string;
}

const ONLY_OWN_COLUMN: Readonly<Record<string, (difference: Difference) => boolean>> = {
  'of a path with three or more parts it lists some': ({ own, name }) => own.deep.has(name),
  'the first part of a path with two parts counts as a table': ({ text, name }) =>
    new RegExp(`\\b${name}\\.\\w+\\b(?!\\.)`, 'i').test(text),
  'a unit of time is no column; the reader has it as a name until it knows the function': ({ name }) =>
    ['month', 'week'].includes(name),
};
const ONLY_OTHER_COLUMN: Readonly<Record<string, (difference: Difference) => boolean>> = {
  'a string of a SELECT list, an array or STRUCT(…) is no column': ({ text, name }) =>
    text.toLowerCase().includes(`'${name}'`),
  'of a cast with :: it lists the column and the type as one name': ({ name }) => name.includes('::'),
};
const TABLE: Readonly<Record<string, (difference: Difference) => boolean>> = {
  'an array of another table in FROM: it lists the last part of the path': ({ text }) =>
    /\bfrom \w+ as (\w), \1\./.test(text),
};

const other = openOtherReader();
afterAll(() => other.close());

const reasonOf = (
  rules: Readonly<Record<string, (difference: Difference) => boolean>>,
  difference: Difference,
) =>
  Object.keys(rules).find((rule) => rules[rule]?.(difference)) ??
  `unexplained: ${difference.name} in ${difference.text}`;

test('both readers list the same tables and columns, but for differences with a known reason', async () => {
  const counts = { equal: 0, explained: 0, unparsed: 0, rejected: 0 };
  const reasons = new Set<string>();
  const constructs = new Set<string>();
  for (const text of TEXTS) {
    const own = listsOf(text);
    const lists = await other.read(text);
    if (own === undefined) counts.rejected++;
    else if (typeof lists === 'string') {
      counts.unparsed++;
      constructs.add(
        Object.keys(UNPARSED).find((name) => UNPARSED[name]?.test(text)) ?? `unexplained: ${text}`,
      );
    } else {
      const columns = new Set([...lists.columns].map((name) => (name === '(.*)' ? '*' : name)));
      const isNew = (name: string): boolean => !columns.has(name) && !own.defined.has(name);
      const found = [
        ...[...own.columns].filter(isNew).map((name) => reasonOf(ONLY_OWN_COLUMN, { text, own, name })),
        ...[...columns]
          .filter((name) => !own.columns.has(name))
          .map((name) => reasonOf(ONLY_OTHER_COLUMN, { text, own, name })),
        ...notShared(own.tables, lists.tables).map((name) => reasonOf(TABLE, { text, own, name })),
      ];
      counts[found.length === 0 ? 'equal' : 'explained']++;
      for (const reason of found) reasons.add(reason);
    }
  }
  expect([...reasons, ...constructs].filter((reason) => reason.startsWith('unexplained'))).toEqual([]);
  expect(reasons.size, 'no rule is left over').toBe(
    [ONLY_OWN_COLUMN, ONLY_OTHER_COLUMN, TABLE].flatMap(Object.keys).length,
  );
  expect([...constructs].toSorted(), 'no construct is left over').toEqual(Object.keys(UNPARSED).toSorted());
  expect(counts).toEqual({ equal: 219, explained: 49, unparsed: 36, rejected: 1 });
});

function notShared(a: ReadonlySet<string>, b: ReadonlySet<string>): readonly string[] {
  return [...[...a].filter((each) => !b.has(each)), ...[...b].filter((each) => !a.has(each))];
}

/** Undefined for the text that Millrace's reader rejects: AT is a keyword, and here an alias. */
function listsOf(text: string): NameLists | undefined {
  try {
    return ownLists(text);
  } catch (error) {
    if (error instanceof UnconvertedError && text.includes(' as at from')) return undefined;
    throw error;
  }
}
