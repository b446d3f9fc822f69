// `millrace redact --explain`: inspects sample rows of an endpoint as they are stored, and prints what redaction does to them.
import { jsonText } from '../../../service/observe/visible-text.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { Settings } from '../../../service/config/settings.ts';
import { nearest } from '../../../sql/base/nearest.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { inspectRows } from '../../../guard/redact/inspect.ts';
import { CommandError } from '../../kit/command-error.ts';
import { withLocal, type LocalDeps } from '../../kit/local.ts';
import { splitPair } from '../../kit/name-value.ts';
import { reportOf, printReport, type RedactionSample } from './report.ts';
import { type Values, samplesOf, read } from './sample-rows.ts';

/** Of each table. */
export const MAX_ROWS = 100_000;

export interface ExplainRedactionOptions {
  readonly settings: Settings;
  readonly endpoint: string;
  /** `name=value` pairs. */
  readonly parameters: readonly string[];
  readonly rows: number;
  readonly isJson: boolean;
  readonly observe: Observe;
}

const IN_USE = 'Stop the service, or use a copy of its data folder with --data';

/** Prints the report. Rejects with CommandError. */
export async function explainRedaction(options: ExplainRedactionOptions, deps: LocalDeps): Promise<void> {
  const { terminal } = deps;
  await withLocal({ ...options, whenInUse: IN_USE, isAuthoring: true }, deps, async ({ catalog }, engine) => {
    const named = findEndpoint(catalog().all, catalog().find(options.endpoint), options.endpoint);
    const values = bind(named, options.parameters);
    const endpoint = named.variantOf({ values });
    const samples: RedactionSample[] = [];
    for (const { name, sql } of samplesOf(endpoint, options.rows)) {
      terminal.progress(`Reading ${name}`);
      const rows = await read(engine, endpoint, { sql, values });
      const { source } = endpoint.redaction.redactor;
      const { detectors = [], rules } = source ?? {};
      const inspection = inspectRows(rows, { detectors, rules, now: Date.now() / 1000 });
      samples.push({ name, inspection });
    }
    terminal.progress('');
    const report = reportOf(endpoint, samples);
    if (options.isJson) return terminal.write(jsonText(report));
    printReport(report, terminal);
  });
}

function findEndpoint(all: readonly Endpoint[], found: Endpoint | undefined, name: string): Endpoint {
  if (found !== undefined) return found;
  const guess = nearest(name, all.map((each) => each.name)); // prettier-ignore
  throw new CommandError(
    `There is no endpoint ${name}${guess === undefined ? '' : `; did you mean ${guess}?`}`,
  );
}

/** The given parameters, otherwise those of the first example of the saved query. */
function bind({ binder, examples }: Endpoint, pairs: readonly string[]): Values {
  const example = examples.find(({ sql, lql }) => sql === undefined && lql === undefined)?.parameters ?? {};
  const given = new Map<string, string[]>();
  for (const [name, value] of pairs.map(splitPair)) given.set(name, [...(given.get(name) ?? []), value]);
  const ofExample = new Map(Object.entries(example).map(([name, value]) => [name, [value]] as const));
  try {
    return binder.bind(pairs.length === 0 ? ofExample : given, Date.now()).values;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const details = error.errors.map(({ parameter, message }) => `${parameter ?? ''}: ${message}`);
    throw new CommandError(error.message, { cause: error, details });
  }
}
