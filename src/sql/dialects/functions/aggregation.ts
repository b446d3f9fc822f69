// How an aggregate function of ClickHouse is applied: with the combinators for DISTINCT, FILTER, HAVING MAX and no rows, over a
// window or over the elements of an array.
import { quoteString } from '../../clickhouse/literal.ts';
import type { ArrayRows, Application } from '../context.ts';
import { joinSql, sql, type Sql, type Value } from '../value.ts';
import { mayBeEmpty, overSql } from '../window.ts';

/** An aggregate call: its arguments, and how it is applied. */
export interface Aggregation {
  readonly application: Application;
  /** There may be no rows, or none that pass the filter. */
  readonly isPartial: boolean;
  /** Writes a ClickHouse aggregate function with the combinators that the call needs. */
  readonly apply: (name: string, args: readonly Sql[], options?: ApplyOptions) => Sql;
}

interface ApplyOptions {
  readonly parameters?: string;
  /** The function returns NULL over no rows in the source. */
  readonly isNullOfNone?: boolean;
  /** False if the rule has seen to DISTINCT itself. */
  readonly isDistinct?: boolean;
}

export type AggregateRule = (aggregation: Aggregation) => Value;

/** What a call says about the rows that it aggregates. */
interface Parts {
  readonly filter: Sql | undefined;
  /** HAVING MAX or MIN: only the rows with that value. */
  readonly extreme: { readonly combinator: string; readonly by: Sql } | undefined;
  readonly isPartial: boolean;
  readonly suffix: Sql;
}

export function aggregationOf(application: Application): Aggregation {
  const { call, context } = application;
  let known: Parts | undefined;
  // Read when a rule applies a function: what a rule does not apply is not read.
  const parts = (): Parts => (known ??= partsOf(application));
  return {
    application,
    get isPartial() {
      return parts().isPartial;
    },
    apply: (name, args, { parameters = '', isNullOfNone = true, isDistinct = call.isDistinct } = {}) => {
      const { filter, extreme, isPartial, suffix } = parts();
      // HAVING MAX looks at rows whose argument is NULL as well, which an argument that can be NULL would skip.
      const isIf = extreme !== undefined && args.length > 0;
      const combined = [
        name,
        isDistinct ? 'Distinct' : '',
        isPartial && isNullOfNone ? 'OrNull' : '',
        isIf ? 'If' : '',
        extreme?.combinator ?? '',
        filter === undefined ? '' : 'If',
      ].join('');
      const all = [
        ...(isIf ? presentOf(args) : args),
        ...(extreme === undefined ? [] : [extreme.by]),
        ...(filter === undefined ? [] : [filter]),
      ];
      if (context.rows !== undefined) return reduced(`${combined}${parameters}`, all, context.rows);
      return sql`${combined}${parameters}(${joinSql(all)})${suffix}`;
    },
  };
}

function partsOf(application: Application): Parts {
  const { call, context, fail } = application;
  const { filter, having, over } = call;
  if (over !== undefined && context.rows !== undefined) return fail('OVER is not supported over an array');
  return {
    filter: filter === undefined ? undefined : context.write(filter, context).sql,
    extreme:
      having === undefined
        ? undefined
        : {
            combinator: having.extreme === 'MAX' ? 'ArgMax' : 'ArgMin',
            by: context.key(context.write(having.by, context)).sql,
          },
    isPartial:
      filter !== undefined ||
      having !== undefined ||
      (over === undefined ? context.isUngrouped : mayBeEmpty(over, context)),
    suffix: over === undefined ? '' : sql` OVER ${overSql(over, context)}`,
  };
}

function presentOf(args: readonly Sql[]): readonly Sql[] {
  const present = args.map((each) => sql`isNotNull(${each})`);
  return [...args.map((each) => sql`assumeNotNull(${each})`), joinSql(present, ' AND ')];
}

function reduced(name: string, args: readonly Sql[], { array, variable }: ArrayRows): Sql {
  if (args.length === 0) return sql`length(${array})`;
  const arrays = args.map((each) =>
    each === variable ? array : sql`arrayMap(${variable} -> ${each}, ${array})`,
  );
  return sql`arrayReduce(${quoteString(name)}, ${joinSql(arrays)})`;
}
