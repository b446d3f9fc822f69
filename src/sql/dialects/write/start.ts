// The context in which a whole query is written.
import { castTo } from '../cast/cast.ts';
import { caselessKey } from '../collation.ts';
import type { Shared, Context } from '../context.ts';
import { elementsOf } from '../functions/array-value.ts';
import { key, settled } from '../value.ts';
import { writeExpression } from './expression.ts';
import { writeQuery } from './query.ts';

/** @param own the tables that FROM may name, and the functions of the dialect */
export function contextOf(shared: Shared, own: Pick<Context, 'tables' | 'functions'>): Context {
  const context: Context = {
    shared,
    ...own,
    scope: { relations: [], aliases: new Map() },
    windows: new Map(),
    isGrouped: false,
    isGuarded: false,
    isUngrouped: true,
    write: writeExpression,
    query: writeQuery,
    asText: (own, at) => castTo(own, { name: 'TEXT', at }, { isSafe: false, at, context }),
    key: (own) => caselessKey(key(settled(own)), context),
    elements: elementsOf,
  };
  return context;
}
