// Hints with the nearest name that the engine has: tables, columns, functions, dictionaries and their attributes, values of Enums.
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { knownFunction } from '../../../guard/sandbox/functions/policy.ts';
import { quotedNames } from '../../../guard/sandbox/engine-message.ts';
import { tableReferences } from '../../../sql/clickhouse/table-references.ts';
import type { Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { definedTables } from '../../../sql/clickhouse/tree/visit.ts';
import { tokenTexts } from '../../../sql/clickhouse/tree/lexemes.ts';
import { namePairs, nameTokens } from '../../../sql/clickhouse/tree/tokens.ts';
import { parseType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import { TYPE_NAMES } from '../../../service/params/scalar.ts';
import { unknownSubtype } from './subtype.ts';
import { foreignFunction } from './foreign-functions.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';

/** A rejection of the engine. */
interface RejectedName {
  readonly code: string;
  readonly message: string;
  /** The query as bound. */
  readonly tree: Tree;
}

type Hint = (written: string, rejected: RejectedName, known: TablesOnEngine) => string | undefined;

/** The hint for a name in the message; undefined for messages about anything else. */
export function namesHint(rejected: RejectedName, known: TablesOnEngine): string | undefined {
  const { code, message } = rejected;
  const [dictionary] = /(?<=dictionary \(`)[^`]+(?=`\) not found)/i.exec(message) ?? [];
  if (dictionary !== undefined) return didYouMean(nearestTable(dictionary, known.dictionaries.keys()));
  const [attribute] = /(?<=no such attribute ')[^']+/i.exec(message) ?? [];
  if (attribute !== undefined) return attributeHint(attribute, rejected, known);
  const [ambiguous] = /(?<=ambiguous identifier ')[^']+/i.exec(message) ?? [];
  if (ambiguous !== undefined) return qualifiedNames(ambiguous, rejected.tree, known);
  const names = quotedNames(message);
  const written = names.find((name) => isNamed(rejected.tree, name)) ?? names[0];
  return written === undefined ? undefined : HINTS[code]?.(written, rejected, known);
}

const HINTS: Readonly<Record<string, Hint>> = {
  'engine.unknown_table': (written, { tree, message }, { columns }) => {
    const table = tableIn(tree, written, /database/i.test(message));
    return didYouMean(nearestTable(table, [...definedTables(tree), ...columns.keys()]));
  },
  'engine.unknown_column': (written, { tree, message }, { columns }) => {
    const names = [...columns].flatMap(([table, all]) =>
      isNamed(tree, table) ? [...all].flatMap(namesOfColumn) : [],
    );
    const type = unknownSubtype(message);
    if (type !== undefined)
      return (
        didYouMean(nearest(type, TYPE_NAMES)) ??
        'The type after .: is one that ClickHouse has, such as String or Int64'
      );
    const parts = written.split('.');
    const [first = written, last = written] = [parts[0], parts.at(-1)];
    const others = names.filter((name) => name !== written);
    const ofLast = nearest(last, others);
    const qualified = parts.length === 2 && ofLast !== last ? ofLast && `${first}.${ofLast}` : ofLast;
    return didYouMean(nearest(written, others) ?? qualified ?? nearest(first, others));
  },
  'engine.unknown_function': (written) => {
    const foreign = foreignFunction(written);
    return foreign === undefined ? didYouMean(knownFunction(written).nearest) : `Write ${foreign}`;
  },
  'engine.unknown_enum_value': (written, { tree }, { enums }) => {
    const values = [...enums].flatMap(([column, all]) => (isNamed(tree, column) ? [...all] : []));
    if (values.length === 0) return undefined;
    return didYouMean(nearest(written, values)) ?? `The values are ${values.slice(0, 20).join(', ')}`;
  },
};

/** Returns the column's name, that of the array of records that it is a part of, and those of the elements of tuples in its type. */
function namesOfColumn([name, type]: readonly [name: string, type: string]): readonly string[] {
  const [nested = name] = name.split('.');
  return [...new Set([name, nested, ...elementNames(parseType(type))])];
}

function elementNames(type: ClickHouseType): readonly string[] {
  return typeArguments(type).flatMap(({ name, type: inner }) => [
    ...(name === undefined ? [] : [name]),
    ...elementNames(inner),
  ]);
}

function attributeHint(
  written: string,
  { tree }: RejectedName,
  { dictionaries }: TablesOnEngine,
): string | undefined {
  const names = [...dictionaries].flatMap(([name, all]) => (isNamed(tree, name) ? all : []));
  if (names.length === 0) return undefined;
  return didYouMean(nearest(written, names)) ?? `The attributes are ${names.slice(0, 20).join(', ')}`;
}

/** The name with each table that has such a column. */
function qualifiedNames(name: string, tree: Tree, { columns }: TablesOnEngine): string | undefined {
  const all = tableReferences(tree).references.filter(({ table }) => columns.get(table)?.has(name));
  return all.length === 0 ? undefined : `Write ${all.map(({ alias }) => `${alias}.${name}`).join(' or ')}`;
}

/** The nearest of qualified names; for one without its database, also that of the same table. */
function nearestTable(written: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  const same = all.filter((name) => name.split('.').slice(1).join('.') === written);
  if (same.length === 1) return same[0];
  const isQualified = written.includes('.');
  const alike = all.filter((name) => name.includes('.') === isQualified);
  return nearest(written, alike) ?? nearest(written, all);
}

/** With its database, if the message names only that or only the table: `database.table`, as the query has it. */
function tableIn(tree: Tree, written: string, isDatabase: boolean): string {
  if (written.includes('.')) return written;
  const found = namePairs(tree).find((pair) => pair[isDatabase ? 0 : 1] === written);
  return found?.join('.') ?? written;
}

/** Returns whether a query has a name with its last part, as a name or in a string. */
function isNamed(tree: Tree, name: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return (
    nameTokens(tree).some((each) => each.name === last) ||
    tokenTexts(tree.cursor.sql, 'string').includes(`'${name}'`)
  );
}
