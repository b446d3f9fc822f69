// The watches of an endpoint file, with all defaults.
import { readCondition, type RowCondition } from '../../sql/condition/condition.ts';
import { readTemplate, type Template } from '../../sql/condition/message.ts';
import { durationMs } from '../config/duration.ts';
import type { EndpointFile, Watch } from '../config/generated/endpoint.ts';

/** A condition over the rows of an endpoint. Times are milliseconds. */
export interface WatchPolicy {
  readonly name: string;
  /** The name of a key in the tokens file. */
  readonly as: string;
  readonly every: number;
  readonly condition: RowCondition;
  readonly for: number;
  /** Columns of the result; empty: one state for all rows. */
  readonly groupBy: readonly string[];
  readonly parameters: NonNullable<Watch['params']>;
  readonly notify: readonly string[];
  readonly sendsResolved: boolean;
  readonly quiet: number;
  readonly sendsNoData: boolean;
  readonly message: Template;
}

/** The watches of a file in a list, each with its path. */
export function watchesIn({ watch }: Pick<EndpointFile, 'watch'>): readonly DeclaredWatch[] {
  if (watch === undefined) return [];
  return Array.isArray(watch)
    ? watch.map((each, index) => ({ watch: each, path: ['watch', index] }))
    : [{ watch, path: ['watch'] }];
}

export interface DeclaredWatch {
  readonly watch: Watch;
  readonly path: readonly (string | number)[];
}

export const DEFAULT_WATCH = 'default';

/** The watches of a file without errors. */
export function watchPolicies(file: Pick<EndpointFile, 'name' | 'watch'>): readonly WatchPolicy[] {
  return watchesIn(file).flatMap(({ watch }) => {
    const read = readCondition(watch.when);
    return read.kind === 'fault' ? [] : [Object.freeze(policyOf(file.name, watch, read.condition))];
  });
}

function policyOf(endpoint: string, watch: Watch, condition: RowCondition): WatchPolicy {
  const { name = DEFAULT_WATCH, group_by: groupBy = [] } = watch;
  return {
    name,
    as: watch.as,
    every: durationMs(watch.every),
    condition,
    for: durationMs(watch.for),
    groupBy,
    parameters: watch.params ?? {},
    notify: watch.notify,
    sendsResolved: watch.resolve ?? true,
    quiet: durationMs(watch.quiet),
    sendsNoData: watch.no_data === 'notify',
    message: readTemplate(watch.message ?? defaultMessage(endpoint, watch, condition)),
  };
}

function defaultMessage(
  endpoint: string,
  { when, name, group_by: groupBy = [] }: Watch,
  { columns }: RowCondition,
): string {
  const shown = [...new Set([...groupBy, ...columns.map((column) => column.name)])];
  const of = name === undefined ? endpoint : `${endpoint}/${name}`;
  const values = shown.filter((column) => /^[A-Za-z_][A-Za-z0-9_.]*$/.test(column)).map((column) => `${column} = {${column}}`); // prettier-ignore
  return `${of}: ${when.replaceAll(/[{}]/g, ' ')}${values.length === 0 ? '' : ` (${values.join(', ')})`}`;
}
