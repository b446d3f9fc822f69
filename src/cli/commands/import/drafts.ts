// Converted queries as drafts of endpoint files, which include one another where the source's queries read one another.
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import type { ConvertedParameter } from '../../../sql/dialects/conversion.ts';
import type { ForeignQuery } from '../../convert/export/foreign-query.ts';
import { convertQuery, type ConvertedQuery, type ConvertSettings } from './convert-query.ts';
import { createUniqueNames, endpointName } from './endpoint-names.ts';
import { declarationOf, type EndpointDraft } from './endpoint-text.ts';

/** Drafts of those that have SQL and are no views. */
export function draftsOf(converted: readonly ConvertedQuery[], endpoints: string): readonly EndpointDraft[] {
  const unique = createUniqueNames();
  return converted.flatMap((each): readonly EndpointDraft[] => {
    const { query, sql } = each;
    if (sql === undefined || query.view !== undefined) return [];
    const endpoint = unique(endpointName(query.segments, query.tool));
    const path = join(endpoints, `${endpoint}.yaml`);
    return [{ ...each, sql, endpoint, path, includes: new Map() }];
  });
}

/** With the endpoints that they read as includes, or with their queries inside if those cannot be included. */
export async function withIncludes(
  drafts: readonly EndpointDraft[],
  settings: ConvertSettings,
): Promise<readonly EndpointDraft[]> {
  const byKey = new Map(
    drafts.flatMap((draft) => (draft.query.key === undefined ? [] : [[keyOf(draft.query), draft] as const])),
  );
  const context: DraftReading = { byKey, parameters: new Map(), open: new Set() };
  const done: EndpointDraft[] = [];
  for (const draft of drafts) {
    const { reads = [], tool } = draft.query;
    if (reads.length === 0) done.push(draft);
    else if (parametersOf(draft, context) === undefined) done.push(await withWhole(draft, settings));
    else {
      const includes = reads.map((name) => [name, byKey.get(`${tool} ${name}`)?.endpoint ?? name] as const);
      done.push({ ...draft, includes: new Map(includes) });
    }
  }
  return done;
}

/** The draft with the queries that it reads inside. */
export async function withWhole(draft: EndpointDraft, settings: ConvertSettings): Promise<EndpointDraft> {
  const whole = draft.query.whole?.();
  if (whole === undefined) return draft;
  const converted = await convertQuery(whole, settings);
  const { sql, notes } = converted;
  if (sql === undefined) return { ...draft, notes: [...draft.notes, ...notes], status: 'partly' };
  return { ...draft, ...converted, sql, includes: new Map() };
}

/** The draft with optional parts in place of conditions and values that depend on its parameters; undefined if that changes nothing. */
export async function withParts(
  draft: EndpointDraft,
  settings: ConvertSettings,
): Promise<EndpointDraft | undefined> {
  if (draft.dialect !== 'clickhouse' || draft.query.prefersParts === true) return undefined;
  const query: ForeignQuery = { ...draft.query, prefersParts: true };
  const converted = await convertQuery(query, settings);
  const { sql } = converted;
  return sql === undefined || sql === draft.sql ? undefined : { ...draft, ...converted, sql };
}

function keyOf({ tool, key }: ForeignQuery): string {
  return `${tool} ${key}`;
}

interface DraftReading {
  readonly byKey: ReadonlyMap<string, EndpointDraft>;
  readonly parameters: Map<EndpointDraft, Parameters | undefined>;
  /** The reads of these drafts are being followed. */
  readonly open: Set<EndpointDraft>;
}

type Parameters = ReadonlyMap<string, ConvertedParameter>;

/**
 * The parameters of a draft and of what it reads. Undefined if it cannot include that: one of them was not converted, they read one another,
 * or one parameter has several declarations, of which an endpoint would have one.
 */
function parametersOf(draft: EndpointDraft, reading: DraftReading): Parameters | undefined {
  const { parameters: known, open } = reading;
  if (open.has(draft)) return undefined;
  if (known.has(draft)) return known.get(draft);
  open.add(draft);
  const own: Parameters = new Map(draft.parameters.map((each) => [each.name, each]));
  const found = (draft.query.reads ?? []).reduce<Parameters | undefined>((before, name) => {
    const other = reading.byKey.get(`${draft.query.tool} ${name}`);
    const theirs = other && parametersOf(other, reading);
    return before && theirs && merged(before, theirs);
  }, own);
  open.delete(draft);
  known.set(draft, found);
  return found;
}

function merged(one: Parameters, other: Parameters): Parameters | undefined {
  for (const [name, parameter] of other) {
    const present = one.get(name);
    if (present !== undefined && !isDeepStrictEqual(declaredAs(present), declaredAs(parameter)))
      return undefined;
  }
  return new Map([...one, ...other]);
}

/** Without what does not change a call. */
function declaredAs(parameter: ConvertedParameter): object {
  return { ...declarationOf(parameter), description: undefined };
}
