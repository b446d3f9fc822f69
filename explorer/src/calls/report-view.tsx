// The report about a call: its reasons, its stages, what the engine reads, and what ran beside it.
import type { CallReport, PlannedRead } from '../service/call-report.ts';
import { counted } from '../parts/words.ts';

export function ReportView({ report }: { readonly report: CallReport }) {
  const { reasons, returned, read, ms } = report;
  return (
    <>
      <p>
        {ms.toFixed(1)} ms in the service, {counted(returned.rows, 'row')} returned
        {read !== undefined && `, ${counted(read.rows, 'row')} read from tables`}
      </p>
      <ul class="why-reasons">
        {reasons.map(({ kind, text, fix }) => (
          <li key={kind}>
            {text}
            {fix !== undefined && <span class="why-fix">{fix}</span>}
          </li>
        ))}
      </ul>
      <Stages report={report} />
      <Plan report={report} />
      <Beside report={report} />
    </>
  );
}

function Stages({ report: { stages = {} } }: { readonly report: CallReport }) {
  const entries = Object.entries(stages);
  if (entries.length === 0) return null;
  return (
    <section>
      <h3>Time in ms</h3>
      <dl class="why-stages">
        {entries.map(([stage, took]) => (
          <div key={stage}>
            <dt>{stage}</dt>
            <dd>{took.toFixed(1)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Plan({ report: { plan, unplanned } }: { readonly report: CallReport }) {
  if (plan === undefined) return unplanned === undefined ? null : <p>{unplanned}.</p>;
  const steps = plan.steps.map(
    ({ step, depth, threads }) =>
      `${'  '.repeat(depth)}${step}${threads > 1 ? ` on ${threads} threads` : ''}`,
  );
  return (
    <section>
      <h3>What the engine reads now</h3>
      <ul>
        {plan.reads.map((each, index) => (
          <li key={index}>{readWords(each)}</li>
        ))}
        {plan.others.map((other) => (
          <li key={other}>{other}</li>
        ))}
      </ul>
      <pre class="mono" tabIndex={0} role="group" aria-label="Steps of the engine">
        {steps.join('\n')}
      </pre>
    </section>
  );
}

function readWords({ table, granules, ofGranules, used }: PlannedRead): string {
  const share =
    ofGranules === null
      ? 'as a whole'
      : `${granules.toLocaleString('en')} of ${ofGranules.toLocaleString('en')} granules`;
  return `${table}: ${share}${used.length === 0 ? '' : `, by ${used.join(', ')}`}`;
}

function Beside({ report: { beside } }: { readonly report: CallReport }) {
  if (beside.length === 0) return null;
  return (
    <section>
      <h3>Other calls of this key meanwhile</h3>
      <ul>
        {beside.map(({ endpoint, calls, engine }) => (
          <li key={endpoint}>
            {endpoint}: {counted(calls, 'call')}, {engine.toFixed(1)} ms in the engine
          </li>
        ))}
      </ul>
    </section>
  );
}
