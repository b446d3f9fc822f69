// Rules about live calls: those of the file, and those of the columns that the engine reports.
import type { EndpointFile } from '../config/generated/endpoint.ts';
import type { Column } from '../engine/engine.ts';
import { isFloat, plainTypeOf } from '../../sql/types/traits.ts';
import type { RuleFinding } from './analysis.ts';
import { ruleFor } from './column-rules.ts';
import type { LivePolicy } from './endpoint.ts';
import { unknownColumn } from './page-rules.ts';
import type { Rule } from './rule.ts';

/** Fields of calls on endpoints with live calls. */
export const LIVE_FIELDS: ReadonlySet<string> = new Set(['live', 'last_event_id']);

export function livePolicy({ live }: Pick<EndpointFile, 'live'>): LivePolicy | undefined {
  return live === undefined ? undefined : Object.freeze({ every: live.every, key: live.key });
}

export const LIVE_RULES: Readonly<Record<string, Rule>> = {
  'live.reserved_name': function* ({ file }) {
    if (file.live === undefined) return;
    for (const name of Object.keys(file.parameters ?? {}).filter((each) => LIVE_FIELDS.has(each)))
      yield {
        path: ['parameters', name],
        onKey: true,
        message: `${name} is reserved on endpoints with live calls`,
      };
  },
  'live.redacted_key': function* ({ file }) {
    for (const [index, name] of (file.live?.key ?? []).entries())
      if (ruleFor(file.pii, name) !== undefined)
        yield {
          path: ['live', 'key', index],
          message: `${name} is redacted, and different rows may then have the same key`,
        };
  },
};

/** Compared as they are written in JSON. */
const NOT_A_KEY: ReadonlySet<string> = new Set([
  'Array', 'Map', 'Nested', 'Object', 'JSON', 'Dynamic', 'Variant', 'AggregateFunction',
]); // prettier-ignore

/** What is wrong with the key, once the columns of the result are known. */
export function checkLiveKey({ live }: EndpointFile, columns: readonly Column[]): readonly RuleFinding[] {
  return (live?.key ?? []).flatMap((name, index): readonly RuleFinding[] => {
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
