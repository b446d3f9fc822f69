// Finds stored integers of 64 bits and more that responses have as JSON numbers: JavaScript reads them without their last digits.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { argumentsOf, nodesOf, nameOf, namesOf } from '../../../sql/clickhouse/tree/visit.ts';
import { parseType, innerType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import type { Analysis } from '../../../service/endpoints/analysis.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { createDescribe } from '../../../service/endpoints/describe.ts';
import { integerOf, plainType } from '../../../sql/types/traits.ts';

export const INTEGER_CODES: Codes = {
  'lint.int64_number': {
    title: 'Large integers that JavaScript cannot read exactly',
    help: 'A column of 64 bits and more, such as an id, is a JSON number by default. int64: string writes such integers as strings, with all their digits; int64: number says that they are smaller than 2^53. A path of a document counts if it has such a type, in its column or in the query; one without a type, which holds what was written, does not.',
  },
};

/** Names of columns of all tables. */
export interface WideColumns {
  /** Such integers are in their types. */
  readonly wide: ReadonlySet<string>;
  /** Their paths have types of their own. */
  readonly documents: ReadonlySet<string>;
}

const SQL = `SELECT DISTINCT name, match(type, 'U?Int(64|128|256)'), match(type, 'JSON|Dynamic|Variant') FROM system.columns
WHERE match(type, 'U?Int(64|128|256)|JSON|Dynamic|Variant') AND default_kind != 'ALIAS' AND database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA', 'millrace')`;

/** Queries an engine that has the tables. */
export async function readWideColumns(engine: Engine): Promise<WideColumns> {
  const read = await readRows(engine, `SELECT * FROM (\n${SQL}\n)`);
  const rows = read as readonly [string, number, number][]; // as selected
  return {
    wide: new Set(rows.flatMap(([name, isWideType]) => (isWideType === 0 ? [] : [name]))),
    documents: new Set(rows.flatMap(([name, , isDocument]) => (isDocument === 0 ? [] : [name]))),
  };
}

const CONTAINING: ReadonlySet<string> = new Set(['Array', 'Tuple', 'Nested', 'Variant', 'JSON']);

/** Returns whether JSON has such integers in values of the type. Keys of maps are strings there. */
export function isWide(type: ClickHouseType): boolean {
  const plain = plainType(type);
  if (plain.name === 'Map') return isWide(innerType(plain, 1));
  if (CONTAINING.has(plain.name)) return typeArguments(plain).some((element) => isWide(element.type));
  return (integerOf(plain)?.bits ?? 0) >= 64;
}

/** Calls, and array(…) and tuple(…) in their short forms, whose value is or contains one of their arguments, as it is or as an integer. */
const KEEPING =
  /^(?:min|max|any|anyLast|argMin|argMax|groupArray|groupUniqArray|array|tuple|map|ifNull|coalesce|assumeNotNull|arrayJoin|cast|accurateCast(?:OrNull)?|toU?Int(?:64|128|256)(?:OrNull|OrZero)?)$/i;

/**
 * One finding for all result columns that are or contain such a stored column, as it is. Numbers that are counted or added up are rarely that
 * large. None if the file says how they are written.
 */
export async function findWideIntegers(
  engine: Engine,
  { analysis, candidate: { endpoint } }: InspectedFile,
  columns: WideColumns,
): Promise<readonly PathFinding[]> {
  if (analysis.file.int64 !== undefined || columns.wide.size + columns.documents.size === 0) return [];
  const describe = createDescribe(engine);
  const found = new Set<string>();
  for (const variant of endpoint.variants())
    for (const { name, type } of (await describe.result(variant)) ?? [])
      if (isWide(parseType(type)) && isStored(analysis, name, columns)) found.add(name);
  if (found.size === 0) return [];
  const [first] = found;
  const names = [...found].slice(0, 5).join(', ');
  return [
    {
      code: 'lint.int64_number',
      severity: 'warning',
      path: ['query'],
      onKey: true,
      message: `${names}: JavaScript reads integers beyond 2^53 in JSON without their last digits`,
      hint: `Add int64: string, so that ${first} is a string; or int64: number, if its values are smaller`,
    },
  ];
}

/** Returns whether a result column is a stored column, under its name or another, or contains one. */
function isStored({ tree }: Analysis, name: string, columns: WideColumns): boolean {
  const aliases = nodesOf(tree.root, 'alias').filter((alias) => nameOf(tree, alias) === name);
  if (aliases.length === 0) return isNamed(name.split('.'), columns) || columns.wide.has(name);
  return aliases.some(({ parts: [value] }) => value !== undefined && keepsStored(tree, value, columns));
}

/** A column, or a path of a document. */
function isNamed(names: readonly string[], { wide, documents }: WideColumns): boolean {
  return wide.has(names.at(-1) ?? '') || names.some((each) => documents.has(each));
}

function keepsStored(tree: Analysis['tree'], value: Node, columns: WideColumns): boolean {
  if (value.kind === 'column') return isNamed(namesOf(tree, value), columns);
  return keptIn(tree, value).some((part) => keepsStored(tree, part, columns));
}

function keptIn(tree: Analysis['tree'], value: Node): readonly Node[] {
  const { kind, parts } = value;
  if (kind === 'call') return KEEPING.test(nameOf(tree, value)) ? argumentsOf(value) : [];
  if (kind === 'array' || kind === 'tuple') return parts;
  return kind === 'access' || kind === 'cast' || kind === 'group' ? parts.slice(0, 1) : [];
}
