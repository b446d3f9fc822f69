// Alternatives that are whole queries: UNION ALL of them.
import { exclusive, type RenderedArm, type Writer } from './arm.ts';
import { conditionParts } from './conditions.ts';
import type { Part } from './nodes.ts';
import { emit, renderParts } from './rendering.ts';
import { columnsOfQueries, mixedTimes } from './time-kinds.ts';

/** A whole query or subquery: all alternatives, each of them with a condition that selects all or none of its rows. */
export function writeUnion(
  arms: readonly RenderedArm[],
  { sink, span, rendering, mixesTimes, isQuery }: Writer,
): boolean {
  const { last } = sink.position.expectation();
  const after = rendering.source.text.slice(span.end, span.end + 200);
  const isAlone = last === undefined || last === ';';
  const isWhole = isQuery === true || (isAlone && /^\s*($|[);]|\{%-?\s*(end|else|elif))/.test(after));
  if (!isWhole || arms.length < 2 || arms.at(-1)?.when.kind !== 'constant') return false;
  if (isQuery === true && arms.some(({ outline }) => isUnion(outline.tokens))) return false;
  const names = arms.map(({ outline }) => columnNames(outline.tokens));
  const [first] = names;
  if (first === undefined || names.some((each) => each === undefined || each.join() !== first.join()))
    return false;
  const mixed = mixedTimes(columnsOfQueries(arms), { span, sink, rendering, mixesTimes });
  if (mixed === undefined) return false;
  const casts = [...mixed].map((name) => `CAST(${name} AS Dynamic) AS ${name}`);
  const columns = casts.length === 0 ? '*' : `* REPLACE (${casts.join(', ')})`;
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  // A WITH clause before it counts for all of them.
  add([isAlone ? '' : 'SELECT * FROM (']);
  for (const [index, arm] of exclusive(arms).entries()) {
    add([`${index === 0 ? '' : '\nUNION ALL\n'}SELECT ${columns} FROM (`]);
    for (const fragment of arm.sink.fragments) emit(sink, fragment);
    add([`) AS alternative_${index + 1} WHERE `, ...conditionParts(arm.when)]);
  }
  add([isAlone ? '' : ')']);
  return true;
}

function isUnion(tokens: readonly string[]): boolean {
  return tokens.filter((token) => token === 'SELECT').length > 1;
}

/** The names of the columns of a SELECT; undefined if one has none, or if it is no plain SELECT. */
function columnNames(tokens: readonly string[]): readonly string[] | undefined {
  if (tokens[0] !== 'SELECT') return undefined;
  const end = tokens.findIndex((token) => token === 'FROM' || token === 'WHERE' || token === 'LIMIT');
  const names: string[] = [];
  let previous = 'SELECT';
  for (const token of [...tokens.slice(1, end < 0 ? undefined : end), ',']) {
    if (token !== ',') previous = token;
    else if (/^\w+$/.test(previous) && previous !== 'SELECT') names.push(previous);
    else return undefined;
  }
  return names;
}
