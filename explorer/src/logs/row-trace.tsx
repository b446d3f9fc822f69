// Shows where else an id occurs: the tables of all endpoints that have a field for it, with the number of rows, each as a link.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { counted } from '../parts/words.ts';
import type { Row } from '../service/json.ts';
import { CallFailure } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';
import { microsOf } from './sql.ts';
import { traceAsk, traceBounds, traceLink, tracePlans, type Trace, type TracePlan } from './trace.ts';
import type { Logs } from './use-logs.ts';

interface Props {
  readonly id: string;
  readonly path: string;
  readonly row: Row;
  readonly logs: Logs;
}

/** Rows by field; `unknown`: they could not be counted. */
type Counts = ReadonlyMap<TracePlan, readonly number[] | 'unknown'>;

export function RowTrace({ id, path, row, logs: { view, question } }: Props) {
  const { listing } = useExplorer();
  const at = row[view.time];
  const micros = typeof at === 'string' ? microsOf(at) : undefined;
  const endpoints = listing.value.kind === 'ready' ? listing.value.endpoints : [];
  const plans = useMemo(() => tracePlans(endpoints, { path }), [endpoints, path]);
  const trace = useMemo<Trace>(
    () => ({
      id,
      path,
      bounds: traceBounds(Number((micros ?? 0n) / 1000n)),
      parameters: question.parameters,
    }),
    [id, path, micros, question.parameters],
  );
  const counts = useCounts(plans, trace);
  const found = plans.flatMap((plan) => linesOf(plan, trace, counts.get(plan)));
  const isLoading = counts.size < plans.length;
  return (
    <div class="log-trace" aria-busy={isLoading}>
      <ul aria-label={`Tables with ${id}`}>
        {found.map(({ fragment, name, rows }) => (
          <li key={fragment}>
            <a href={fragment}>{name}</a> <span class="note">{rows}</span>
          </li>
        ))}
      </ul>
      {isLoading && <p class="note">Looking in {counted(plans.length, 'endpoint')}</p>}
      {!isLoading && found.length === 0 && <p class="note">No table has it within a day.</p>}
    </div>
  );
}

function linesOf(plan: TracePlan, trace: Trace, counts: readonly number[] | 'unknown' | undefined) {
  if (counts === undefined) return [];
  return plan.fields.flatMap((field, index) => {
    const rows = counts === 'unknown' ? undefined : (counts[index] ?? 0);
    if (rows === 0) return [];
    const name = `${plan.endpoint.name} · ${field.view.table} · ${field.path.replace(/^metadata\./, '')}`;
    return {
      fragment: traceLink(plan, field, trace),
      name,
      rows: rows === undefined ? 'not counted' : counted(rows, 'row'),
    };
  });
}

/** One call for each endpoint. */
function useCounts(plans: readonly TracePlan[], trace: Trace): Counts {
  const { client, key } = useExplorer();
  const [counts, setCounts] = useState<Counts>(new Map());
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setCounts(new Map());
    const count = async (plan: TracePlan): Promise<readonly number[] | 'unknown'> => {
      const ask = traceAsk(plan, trace);
      if (ask === undefined) return 'unknown';
      try {
        const { rows } = await client.run(key.value ?? '', ask, { signal, isFresh: false });
        const found = new Map(rows.map((row) => [Number(row['field']), Number(row['rows'])]));
        return plan.fields.map((_, index) => found.get(index) ?? 0);
      } catch (error) {
        if (signal.aborted || error instanceof CallFailure) return 'unknown'; // such as a parameter that only that endpoint has
        throw error;
      }
    };
    for (const plan of plans)
      void count(plan).then((result) => {
        if (!signal.aborted) setCounts((before) => new Map([...before, [plan, result]]));
      });
    return () => controller.abort();
  }, [plans, trace]);
  return counts;
}
