// Checks of live calls: those of the file, and those of the columns that the engine reports.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import { isFloat, plainTypeOf } from '../../../sql/types/traits.ts';
import { ruleFor } from '../column-rules.ts';
import type { LivePolicy } from '../endpoint.ts';
import { unknownColumn } from './pages.ts';
import type { FileChecks } from './check.ts';

export const LIVE_KEY_CODES: Codes = {
  'live.unknown_key': {
    title: 'A key of live calls is not a column of the result',
    help: 'Each column of live.key is a column that the query selects, by the name that it has in the result.',
  },
  'live.key_type': {
    title: 'A key of live calls has a type that cannot identify a row',
    help: 'Keys are compared as they are written in JSON: not floating-point numbers, and no arrays, maps or JSON.',
  },
};

/** Fields of calls on endpoints with live calls. */
export const LIVE_FIELDS: ReadonlySet<string> = new Set(['live', 'last_event_id']);

export function livePolicy({ live }: Pick<EndpointFile, 'live'>): LivePolicy | undefined {
  return live === undefined ? undefined : Object.freeze({ every: live.every, key: live.key });
}

export const LIVE_CHECKS: FileChecks = {
  'live.reserved_name': {
    title: 'A parameter has the name of a field of live calls',
    help: 'live and last_event_id are reserved on endpoints with live calls.',
    *check({ file }) {
      if (file.live === undefined) return;
      for (const name of Object.keys(file.parameters ?? {}).filter((each) => LIVE_FIELDS.has(each)))
        yield {
          path: ['parameters', name],
          onKey: true,
          message: `${name} is reserved on endpoints with live calls`,
        };
    },
  },
  'live.redacted_key': {
    title: 'A key of live calls is redacted',
    help: 'Redacted values do not distinguish rows. Use columns without personal data, such as a time and an id.',
    *check({ file }) {
      for (const [index, name] of (file.live?.key ?? []).entries())
        if (ruleFor(file.pii, name) !== undefined)
          yield {
            path: ['live', 'key', index],
            message: `${name} is redacted, and different rows may then have the same key`,
          };
    },
  },
};

/** Compared as they are written in JSON. */
const NOT_A_KEY: ReadonlySet<string> = new Set([
  'Array', 'Map', 'Nested', 'Object', 'JSON', 'Dynamic', 'Variant', 'AggregateFunction',
]); // prettier-ignore

/** What is wrong with the key, once the columns of the result are known. */
export function checkLiveKey({ live }: EndpointFile, columns: readonly Column[]): readonly PathFinding[] {
  return (live?.key ?? []).flatMap((name, index): readonly PathFinding[] => {
    const path = ['live', 'key', index];
    const column = columns.find((each) => each.name === name);
    if (column === undefined) return [{ code: 'live.unknown_key', path, ...unknownColumn(name, columns) }];
    const type = plainTypeOf(column.type);
    if (!isFloat(type) && !NOT_A_KEY.has(type.name)) return [];
    return [
      { code: 'live.key_type', path, message: `${name} is ${column.type}, which cannot identify a row` },
    ];
  });
}
