// What an endpoint is: its versions, its description, its limits and what it exposes.
import type { Endpoint } from '../service/listing.ts';
import { cacheFact, duration } from './cache-fact.ts';
import { exposureFacts } from './exposure.ts';
import { DeprecationNote, Versions } from './versions.tsx';

export function EndpointTitle({ endpoint }: { readonly endpoint: Endpoint }) {
  const { description, max_rows: maxRows, cache, warming, pii, limits } = endpoint;
  const facts = [
    `up to ${maxRows.toLocaleString('en')} rows`,
    cacheFact(cache),
    ...(warming === null ? [] : [`warmed every ${duration(warming.every)}`]),
    ...(pii.redact ? ['personal data redacted'] : []),
    ...(limits.budget.read === undefined ? [] : [`reads up to ${limits.budget.read}`]),
    ...(limits.budget.time === undefined ? [] : [`runs up to ${limits.budget.time}`]),
    ...(limits.rate === null ? [] : [limits.rate.replace('/', ' requests per ').replace(/s$/, ' s')]),
  ];
  return (
    <div class="title">
      <Versions endpoint={endpoint} />
      <DeprecationNote endpoint={endpoint} />
      <p class="lead">{description}</p>
      <ul class="facts" aria-label="Limits">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <details class="exposure">
        <summary>What this exposes</summary>
        <dl>
          {exposureFacts(endpoint).map(({ name: fact, text }) => (
            <div key={fact}>
              <dt>{fact}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}
