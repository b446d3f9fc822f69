// Findings about cache policies with `until: data`: data whose changes cannot be seen, and results that change without it.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { variantsOf, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { readingStatements, type ReadingStatement } from '../../../service/endpoints/reading-statements.ts';
import { resolveTables, type LateRead, type Unwatched } from '../../../service/endpoints/table-set.ts';
import { placeOf, rangeOf, whatReads } from '../../../service/endpoints/tenancy-check.ts';
import { mergeFindings } from '../../../service/endpoints/variant-findings.ts';

export const WATCH_CODES: Codes = {
  'cache.unwatched': {
    title: 'With until: data, the query reads data whose changes cannot be seen',
    help: 'Its responses are valid for cache.check only. docs/author/caching.md lists the kinds of tables whose changes can be seen.',
  },
  'cache.clock_read': {
    title: 'With until: data, the result changes although no table does',
    help: 'The query, a view or a computed column reads the clock or is random. Round the time, so that responses are valid until it changes; otherwise they are valid for ttl.',
  },
  'live.unwatched': {
    title: 'A live endpoint reads data whose changes cannot be seen',
    help: 'Its query runs every live.every seconds while it has subscribers, and an event is sent if the result differs. docs/author/caching.md lists the kinds of tables whose changes can be seen.',
  },
  'live.clock_read': {
    title: 'The result of a live endpoint changes although no table does',
    help: 'The query, a view or a computed column reads the clock or is random, so it runs every live.every seconds while it has subscribers. Round the time, as in toStartOfInterval(now(), INTERVAL 1 MINUTE).',
  },
};

/** A statement of the endpoint, and the WITH table that it reads for consumers; undefined: the saved query. */
interface OwnStatement {
  readonly statement: ReadingStatement;
  readonly table: string | undefined;
}

/** What follows for a policy of the file. */
interface Policy {
  readonly family: 'cache' | 'live';
  readonly unwatched: (endpoint: Pick<Endpoint, 'cache' | 'live'>) => string;
  readonly late: (endpoint: Pick<Endpoint, 'cache' | 'live'>) => string;
  readonly remedy: string;
}

const CACHED: Policy = {
  family: 'cache',
  unwatched: ({ cache }) =>
    `Responses are then valid for cache.check only, as with ttl: ${cache?.check}. Read a table whose changes can be seen, or remove until: data`,
  late: ({ cache }) => `a response is valid for ttl (${cache?.ttl} s)`,
  remedy: 'pass it as a parameter, or set ttl to what is acceptable',
};

const LIVE: Policy = {
  family: 'live',
  unwatched: ({ live }) =>
    `With subscribers, the query then runs every ${live?.every} s. Read a table whose changes can be seen, or raise live.every`,
  late: ({ live }) => `with subscribers, the query runs every ${live?.every} s`,
  remedy: 'pass it as a parameter, or raise live.every',
};

/** Asks the engine what the queries of a file read. Rejects with EngineError if it could not be asked. */
export async function findUnwatched(engine: Engine, file: InspectedFile): Promise<readonly PathFinding[]> {
  const { cache, live } = file.candidate.endpoint;
  if (cache?.check === undefined && live === undefined) return [];
  const all = [];
  for (const variant of variantsOf(file))
    all.push({ analysis: variant.analysis, findings: await unwatchedIn(engine, variant) });
  return mergeFindings(all);
}

async function unwatchedIn(engine: Engine, inspected: InspectedFile): Promise<readonly PathFinding[]> {
  const own = statementsOf(inspected);
  const { unwatched, clock } = await resolveTables(
    engine,
    own.map(({ statement }) => statement),
  );
  const found = new Map<string, PathFinding>(); // the saved query reads the tables of the sandbox
  const add = (finding: PathFinding): void => {
    const key = JSON.stringify([finding.code, finding.path, finding.offset]);
    if (!found.has(key)) found.set(key, finding);
  };
  const { cache, live } = inspected.candidate.endpoint;
  for (const policy of [cache?.check && CACHED, live && LIVE]) {
    if (policy === undefined || policy === 0) continue;
    for (const each of unwatched) add(unwatchedFinding(inspected, own[each.statement], { ...each, policy }));
    for (const each of clock)
      if (each.every === undefined) add(clockFinding(inspected, own[each.statement], { ...each, policy }));
  }
  return [...found.values()];
}

function statementsOf({ candidate: { endpoint } }: InspectedFile): readonly OwnStatement[] {
  const { sandbox, outline } = endpoint;
  const tables = outline.elements.flatMap(({ kind, name }) =>
    kind === 'table' && sandbox.enabled ? [name] : [],
  );
  const wanted = [
    ...tables.map((name) => ({ table: name, names: [name] })),
    { table: undefined, names: undefined },
  ];
  return wanted.flatMap(({ table, names }) =>
    readingStatements(endpoint, names)
      .slice(0, 1)
      .map((statement) => ({ statement, table })),
  );
}

function unwatchedFinding(
  inspected: InspectedFile,
  own: OwnStatement | undefined,
  { source, reason, policy }: Unwatched & { readonly policy: Policy },
): PathFinding {
  const query = { table: own?.table };
  return {
    code: `${policy.family}.unwatched`,
    severity: 'warning',
    ...(source === undefined
      ? inspected.analysis.inBound(rangeOf(inspected, query.table).start)
      : placeOf(inspected, query, source)),
    message: `changes of the data of ${whatReads({ ...query, sql: '' })} cannot be seen: ${reason}`,
    hint: policy.unwatched(inspected.candidate.endpoint),
  };
}

function clockFinding(
  inspected: InspectedFile,
  own: OwnStatement | undefined,
  { name, table, source, offset, policy }: LateRead & { readonly policy: Policy },
): PathFinding {
  const { endpoint } = inspected.candidate;
  const shift = own?.table === undefined ? 0 : endpoint.outline.withStart;
  return {
    code: `${policy.family}.clock_read`,
    severity: 'warning',
    ...(source === undefined
      ? inspected.analysis.inBound(offset + shift)
      : placeOf(inspected, { table: own?.table }, source)),
    message: `${name}${table === undefined ? '' : ` in ${table}`} has other values later, although no table changes: ${policy.late(endpoint)}`,
    hint: `Round the time, as in toStartOfInterval(now(), INTERVAL 1 MINUTE), ${policy.remedy}`,
  };
}
