// What the tool of an endpoint says about itself, and how to get less of its rows.
import type { Principal } from '../../../auth/principal.ts';
import type { Endpoint } from '../../../endpoints/endpoint.ts';
import type { Locked } from './input-schema.ts';
import { isDate, isDateTime, plainTypeOf } from '../../../../sql/types/traits.ts';

const MAX_DESCRIPTION = 1500;
const MAX_EXAMPLE = 300;

/** The description for the agent: that of the file, its hint, what the key sets, and an example. */
export function toolText({ name, mcp, parameters, examples }: Endpoint, locked: Locked): string {
  const description = mcp?.description.trim() ?? '';
  const set = Object.keys(parameters).filter((each) => locked.has(each));
  const example = examples
    .filter(({ sql, lql }) => sql === undefined && lql === undefined)
    .map(({ parameters: sent = {} }) => Object.entries(sent).filter(([each]) => !locked.has(each)))
    .map((sent) => JSON.stringify(Object.fromEntries(sent)))
    .find((each) => each !== '{}' && each.length <= MAX_EXAMPLE);
  return [
    description === ''
      ? `The rows of the endpoint ${name}, which has no description.`
      : shortText(description),
    ...(mcp?.hint === undefined ? [] : [mcp.hint.trim()]),
    ...(set.length === 0 ? [] : [`Set by your key: ${set.join(', ')}.`]),
    ...(example === undefined ? [] : [`Example: ${example}`]),
  ].join('\n');
}

/** A long text is cut at a word. */
function shortText(text: string): string {
  if (text.length <= MAX_DESCRIPTION) return text;
  const head = text.slice(0, MAX_DESCRIPTION).replace(/\s+\S*$/, '');
  return `${head} … [cut: the description has ${text.length} characters]`;
}

/** The first sentence of the description, for lists. */
export function summaryOf({ name, mcp }: Endpoint): string {
  const [first = ''] = (mcp?.description ?? '').trim().split(/(?<=[.!?])\s|\n/);
  if (first === '') return `The rows of the endpoint ${name}.`;
  return first.length > MAX_SUMMARY ? `${first.slice(0, MAX_SUMMARY)}…` : first;
}

const MAX_SUMMARY = 160;
const MAX_NAMED = 8;

function isTime(type: string): boolean {
  const plain = plainTypeOf(type);
  return isDate(plain) || isDateTime(plain);
}

/** How to get fewer rows from an endpoint: the arguments that can select some of them, times first. */
export function narrowingText(
  { parameters, sandbox }: Endpoint,
  { locked, languages }: Pick<Principal, 'locked' | 'languages'>,
): string {
  const own = Object.entries(parameters).filter(([name]) => !locked.has(name));
  const ordered = own
    .toSorted(([, a], [, b]) => Number(isTime(b.type)) - Number(isTime(a.type)))
    .map(([name]) => name)
    .slice(0, MAX_NAMED);
  const hasQuery = sandbox.enabled && [...sandbox.languages].some((language) => languages.has(language));
  const query = hasQuery ? ' The tool query selects and aggregates rows of its tables.' : '';
  if (ordered.length === 0) return `No argument narrows the result.${query}`;
  return `To narrow the result, send other values of ${ordered.join(', ')}.${query}`;
}
