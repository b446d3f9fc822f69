// The entry point of writing: a syntax tree as ClickHouse SQL.
import type { Query } from '../../dialects/tree.ts';
import type { ConversionNote, ConvertOptions, ForeignDialect } from '../../dialects/conversion.ts';
import type { Context, Supplied } from '../../dialects/write/context.ts';
import { writeQuery } from '../../dialects/write/query.ts';
import { READABLE } from '../../dialects/write/style.ts';
import { rowsOf } from './row-source.ts';
import { unified } from './unify.ts';
import { TRAITS } from '../../dialects/traits.ts';
import { castTo } from '../../dialects/cast/cast.ts';
import { emptyArray } from '../../dialects/functions/array-value.ts';
import type { Value } from '../../dialects/value.ts';
import { caselessKey } from '../../dialects/collation.ts';
import { jsonField, writeExpression } from './expression.ts';
import { jsonElements } from '../../dialects/json-path.ts';

export interface WriteOptions {
  readonly dialect: ForeignDialect;
  readonly columnsOf?: ConvertOptions['columnsOf'];
  readonly tableOf?: ConvertOptions['tableOf'];
  /** The source, for the lines in comments. */
  readonly text: string;
}

/** ClickHouse SQL, and what is not or not exactly converted. */
export interface Written {
  readonly sql: string;
  readonly notes: readonly ConversionNote[];
}

const SUPPLIED: Supplied = {
  style: READABLE,
  jsonField,
  rows: rowsOf,
};

/** Writes a query. Never throws for its content. */
export function writeStatement(query: Query, { dialect, columnsOf, tableOf, text }: WriteOptions): Written {
  const settings = new Map<string, string>();
  const notes: ConversionNote[] = [];
  let count = 0;
  const fresh = (kind: string): string => {
    const name = `${kind}_${++count}`;
    return text.toLowerCase().includes(name) ? fresh(kind) : name;
  };
  const context: Context = {
    shared: {
      dialect,
      traits: TRAITS[dialect],
      isStrict: false,
      columnsOf,
      tableOf,
      text,
      notes,
      settings,
      fresh,
      tableNames: undefined,
      spend: () => undefined,
      isRecordName: () => false,
    },
    scope: { relations: [], aliases: new Map() },
    tables: new Map(),
    windows: new Map(),
    isGrouped: false,
    isGuarded: false,
    isUngrouped: true,
    supplied: SUPPLIED,
    write: writeExpression,
    asText: (own, at) => castTo(own, { name: 'TEXT', at }, { isSafe: false, at, context }),
    query: writeQuery,
    key: (own) => caselessKey(own, context),
    elements: elementsOf,
    unify: unified,
  };
  const { sql } = writeQuery(query, context, { isShown: true, isPlain: false });
  const list = [...settings].map(([name, value]) => `${name} = ${value}`);
  return { sql: list.length === 0 ? String(sql) : `${String(sql)}\nSETTINGS ${list.join(', ')}`, notes };
}

function elementsOf(own: Value): Value {
  if (own.type.kind === 'null') return emptyArray();
  return own.type.kind === 'json' ? jsonElements(own) : own;
}
