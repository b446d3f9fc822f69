// Redaction of the tables that a consumer query reads, below the query: whatever it computes, filters, joins or groups by is computed
// from redacted values.
import { rulesBelow } from '../../redact/columns.ts';
import type { SourceSettings } from '../../redact/redactor.ts';
import { REDACTED } from '../../redact/detector.ts';
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';
import { integerOf, isDate, isDateTime, isNativeNumber } from '../../../sql/types/traits.ts';
import { innerType, parseType, typeOf, type ClickHouseType } from '../../../sql/types/type.ts';
import type { Subcolumn, TableColumn } from '../columns.ts';
import { subcolumnType } from '../../../sql/types/subcolumn-type.ts';
import { isPlainPath } from './document.ts';
import { changed, type RedactedValue, type ValueSettings } from './redacted-value.ts';
import { impliedPattern } from './implied-pattern.ts';
import { textFunctions } from './text-functions.ts';
import { redactedValue } from './value.ts';

/** The redaction of one table. */
export interface RedactedTable {
  /** The columns that are left, with the types that they have afterwards. */
  readonly columns: readonly TableColumn[];
  /** Returns whether values of a column are passed on as they are. */
  readonly isUnchanged: (column: string) => boolean;
  /** An RE2 expression that stored values of a column match if the redacted ones match this pattern of LIKE; undefined: unknown. */
  readonly impliedPattern: (column: string, pattern: string) => string | undefined;
  /** Returns whether a subcolumn can be read and redacted alone. */
  readonly canRead: (subcolumn: Subcolumn) => boolean;
  /** The query over `rows`: the columns that are read, default all, and subcolumns under their full names. */
  readonly select: (rows: string, read: ReadColumns, subcolumns: readonly Subcolumn[]) => string;
}

/** What a query reads of a table. */
export interface ReadColumns {
  /** Names that include those of all columns that it reads; undefined: it may read all. */
  readonly needed?: ReadonlySet<string> | undefined;
  /** Columns of which it reads nothing but the subcolumns. */
  readonly onlyParts?: ReadonlySet<string> | undefined;
  /** Names of what it may compute before it sorts and limits its rows; undefined: everything. */
  readonly early?: ReadonlySet<string> | undefined;
  /** Texts with which it compares columns, or paths, of which it does nothing else. */
  readonly compared?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** The redaction of an endpoint's tables, given the columns of one. */
export type RedactTable = (columns: readonly TableColumn[]) => RedactedTable;

/** Compiles the settings of a redactor. */
export function createRedactTable(settings: SourceSettings): RedactTable {
  const values: ValueSettings = {
    findsAddresses: settings.detectors.includes('ip'),
    finds: settings.finds,
    mask: settings.mask,
    functions: textFunctions(settings),
  };
  return (columns) => {
    const known = new Map(
      columns.map((column) => [column.name, redactedColumn(column, settings, values)] as const),
    );
    const subcolumn = ({ column, path }: Subcolumn): RedactedValue | undefined => {
      const type = columns.find(({ name }) => name === column)?.type;
      return type === undefined
        ? undefined
        : redactedSubcolumn({ column, path }, parseType(type), settings, values);
    };
    return {
      columns: columns.flatMap(({ name, type }) => {
        const redacted = known.get(name);
        if (redacted === undefined || redacted.kind === 'dropped') return [];
        return [{ name, type: redacted.kind === 'changed' ? redacted.type : type }];
      }),
      isUnchanged: (column) => known.get(column)?.kind === 'same',
      impliedPattern: (column, pattern) => {
        const redacted = known.get(column);
        const isText = redacted?.kind === 'changed' && redacted.text === quoteIdentifier(column);
        return isText ? impliedPattern(pattern, settings) : undefined;
      },
      canRead: (each) => subcolumn(each) !== undefined,
      select: (rows, { needed, onlyParts, early, compared }, subcolumns) => {
        const isRead = (name: string): boolean =>
          (needed === undefined || needed.has(name)) && onlyParts?.has(name) !== true;
        const paths = subcolumns.map(
          ({ column, path }) => [`${column}.${path}`, subcolumn({ column, path })] as const,
        );
        const read = [...[...known].filter(([name]) => isRead(name)), ...paths].map(([name, redacted]) => {
          const texts = needed === undefined ? undefined : compared?.get(name);
          return [name, texts && redacted ? comparedOnly(redacted, texts, values) : redacted] as const;
        });
        return selectOf(rows, read, { values, known, isEarly: (name) => early?.has(name) !== false });
      },
    };
  };
}

type Items = readonly (readonly [name: string, redacted: RedactedValue | undefined])[];

interface SelectContext {
  readonly values: ValueSettings;
  /** All columns of the rows. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Returns whether the query may compute with a column before it sorts and limits its rows. */
  readonly isEarly: (name: string) => boolean;
}

/**
 * Strings that the query only returns are redacted as one array, which is planned once. Any other is redacted by itself: a condition on it
 * need not redact the others.
 */
function selectOf(rows: string, items: Items, { values, known, isEarly }: SelectContext): string {
  const together = new Map<string, string[]>();
  const list = items.flatMap(([name, redacted]) => {
    if (redacted === undefined) return [];
    if (redacted.kind !== 'changed' || redacted.text === undefined || isEarly(name))
      return itemOf(name, redacted);
    const texts = together.get(redacted.type) ?? [];
    together.set(redacted.type, texts);
    texts.push(redacted.text);
    return [`${arrayOf(redacted.type, known)}[${texts.length}] AS ${quoteIdentifier(name)}`];
  });
  const arrays = [...together].map(
    ([type, texts]) => `${values.functions.texts(`[${texts.join(', ')}]`)} AS ${arrayOf(type, known)}`,
  );
  const source = arrays.length === 0 ? rows : `SELECT *, ${arrays.join(', ')} FROM (${rows})`;
  // A query may read no column at all, to count rows.
  return `SELECT ${list.length === 0 ? '1 AS millrace_row' : list.join(', ')}\nFROM (${source})`;
}

/**
 * The value if it is one of these texts, which redaction does not change, and the replacement otherwise: without the expression that
 * redacts, and as much a function of the redacted value.
 */
function comparedOnly(
  redacted: RedactedValue,
  texts: readonly string[],
  { functions }: ValueSettings,
): RedactedValue {
  if (redacted.kind !== 'changed' || redacted.text === undefined) return redacted;
  if (texts.length > MAX_COMPARED || !texts.every(functions.keeps)) return redacted;
  const { text, type } = redacted;
  const isNull = type === 'String' ? '' : `isNull(${text}) OR `;
  const list = texts.map(quoteString).join(', ');
  return changed(`if(${isNull}${text} IN (${list}), ${text}, ${quoteString(REDACTED)})`, type);
}

const MAX_COMPARED = 100;

/** A name that no column has. */
function arrayOf(type: string, known: ReadonlyMap<string, unknown>): string {
  let name = type === 'String' ? 'millrace_texts' : 'millrace_nullable_texts';
  while (known.has(name)) name += '_';
  return name;
}

function itemOf(name: string, redacted: RedactedValue): readonly string[] {
  if (redacted.kind === 'dropped') return [];
  const quoted = quoteIdentifier(name);
  return [redacted.kind === 'same' ? quoted : `${redacted.sql} AS ${quoted}`];
}

function redactedColumn(
  { name, type }: TableColumn,
  { rules }: SourceSettings,
  values: ValueSettings,
): RedactedValue {
  const below = rules && rulesBelow(rules, name);
  return redactedValue({ sql: quoteIdentifier(name), type: parseType(type), rules: below, depth: 0 }, values);
}

/** Undefined if only the whole column can be redacted. */
function redactedSubcolumn(
  { column, path }: Subcolumn,
  type: ClickHouseType,
  settings: SourceSettings,
  values: ValueSettings,
): RedactedValue | undefined {
  const above = settings.rules && rulesBelow(settings.rules, column);
  const key = type.name === 'Map' && path.startsWith('key_') ? path.slice('key_'.length) : undefined;
  // A rule for a part of the column may be one for this part of it, under another name.
  const isNamed = type.name === 'JSON' || (key !== undefined && /^[\x20-\x7e]*$/.test(key));
  if (above !== undefined && !isNamed && !/^(?:size\d|null)$/.test(path)) return undefined;
  const rules = settings.rules && rulesBelow(settings.rules, `${column}.${key ?? path}`);
  const isAbove = rules !== undefined && rules.action === undefined;
  if (rules?.action === 'drop' || isAbove || above?.action !== undefined) return undefined;
  // As a name it is redacted, so that no path of the redacted column has it.
  if (settings.finds(key ?? path) || /redacted/i.test(path)) return undefined;
  const read = key === undefined ? readType(type, path) : innerType(type, 1);
  if (read === undefined) return undefined;
  const redacted = redactedValue(
    { sql: quoteIdentifier(`${column}.${path}`), type: read, rules, depth: 0 },
    values,
  );
  return redacted.kind === 'dropped' ? undefined : redacted;
}

/** The type of a subcolumn that has the same values alone as in its column. */
function readType(type: ClickHouseType, path: string): ClickHouseType | undefined {
  if (type.name !== 'JSON') return /[.^[:]/.test(path) ? undefined : subcolumnType(type, path);
  const [, name = '', typed] = /^(.*?)(?:\.:`?([^`]+)`?)?$/s.exec(path) ?? [];
  if (/[\^[\]`]|\.:/.test(name) || !isPlainPath(type, name)) return undefined;
  if (typed === undefined) return dynamicType(type, name);
  const element = parseType(typed);
  const isTime = isDate(element) || isDateTime(element);
  const isKnown = isTime || integerOf(element) !== undefined || isNativeNumber(element);
  return isKnown || element.name === 'String' ? typeOf('Nullable', element) : undefined;
}

function dynamicType(type: ClickHouseType, path: string): ClickHouseType | undefined {
  const known = subcolumnType(type, path);
  const most = type.arguments?.find((each) => each.kind === 'setting' && each.name === 'max_dynamic_types');
  if (known?.name !== 'Dynamic' || most?.kind !== 'setting' || known.arguments !== undefined) return known;
  return parseType(`Dynamic(max_types=${most.value})`);
}
