// Completion of arguments: names of endpoints and tables.
import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import { findOpen, openEndpoints } from './query/open-endpoints.ts';
import { endpointsOf } from './resources.ts';
import type { Caller } from './caller.ts';

/** The most that the protocol allows. */
const MAX_VALUES = 100;

/** Values for an argument of a prompt or of a resource template; none for others. */
export function complete(
  caller: Caller,
  { ref, argument, context }: Pick<CompleteRequestParams, 'ref' | 'argument' | 'context'>,
): CompleteResult['completion'] {
  const all = valuesOf(caller, ref.type === 'ref/prompt', { ...context?.arguments, name: argument.name });
  const typed = argument.value.toLowerCase();
  const matching = all.filter((each) => each.toLowerCase().includes(typed));
  const values = [
    ...matching.filter((each) => each.toLowerCase().startsWith(typed)),
    ...matching.filter((each) => !each.toLowerCase().startsWith(typed)),
  ].slice(0, MAX_VALUES);
  return { values, total: matching.length, hasMore: matching.length > values.length };
}

function valuesOf(
  caller: Caller,
  isPrompt: boolean,
  { name, endpoint }: { readonly name: string; readonly endpoint?: string },
): readonly string[] {
  const { catalog, principal } = caller;
  if (name === 'endpoint') {
    return isPrompt
      ? openEndpoints(catalog, principal).map((open) => open.endpoint.name)
      : endpointsOf(caller).map((each) => each.name);
  }
  const isTable = name === 'table' && endpoint !== undefined;
  if (!isTable || openEndpoints(catalog, principal).every((open) => open.endpoint.name !== endpoint))
    return [];
  return findOpen(catalog, principal, endpoint).tables;
}
