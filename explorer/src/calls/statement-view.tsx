// How a query became the statement that is sent: after each rewrite, the text before and after it side by side, with the reason.
import { alignLines } from '../../../src/sql/clickhouse/aligned-lines.ts';
import type { StatementStep } from '../service/client.ts';

export function StatementView({ steps }: { readonly steps: readonly StatementStep[] }) {
  return (
    <section class="statement">
      <h3>The statement as sent</h3>
      <ol>
        {steps.map(({ step, reason, sql }, index) => (
          <li key={step}>
            <p>
              <strong>{step}</strong>: {reason}
            </p>
            <StepText before={steps[index - 1]?.sql} after={sql} name={step} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface StepProps {
  readonly before: string | undefined;
  readonly after: string;
  readonly name: string;
}

function StepText({ before, after, name }: StepProps) {
  const label = `The query after the step ${name}`;
  if (before === undefined)
    return (
      <pre class="mono" tabIndex={0} role="group" aria-label={label}>
        {after}
      </pre>
    );
  return (
    <div class="statement-sides" tabIndex={0} role="group" aria-label={label}>
      <table class="mono">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {alignLines(before.split('\n'), after.split('\n')).map(([left, right], index) => (
            <tr key={index} data-changed={left !== right}>
              <td>{left}</td>
              <td>{right}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
