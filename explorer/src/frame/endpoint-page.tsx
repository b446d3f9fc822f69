// One endpoint: its description, its parameters or query, and the result.
import type { Endpoint } from '../service/listing.ts';
import { sandboxOf } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import type { QueryKind } from '../state/address.ts';
import { ParameterForm } from '../form/parameter-form.tsx';
import { cacheFact, duration } from './cache-fact.ts';
import { exposureFacts } from './exposure.ts';
import { DeprecationNote, Versions } from './versions.tsx';
import { Presets } from '../form/presets.tsx';
import { RunBar } from '../form/run-bar.tsx';
import { ConsumerQueryView } from '../query/consumer-query.tsx';
import { ResultPanel } from '../result/result-panel.tsx';
import { Tabs } from '../parts/tabs.tsx';

interface Props {
  readonly endpoint: Endpoint;
}

export function EndpointPage({ endpoint }: Props) {
  const { address } = useExplorer();
  const { query } = address.value;
  return (
    <article class="endpoint">
      <div class="ask">
        <Title endpoint={endpoint} />
        <Presets endpoint={endpoint} />
        <ParameterForm endpoint={endpoint} />
        <div class="ask-bar">
          <QueryTabs endpoint={endpoint} />
          <RunBar endpoint={endpoint} />
        </div>
        <div id="query-panel">
          {query !== 'saved' && <ConsumerQueryView key={query} endpoint={endpoint} language={query} />}
        </div>
      </div>
      <ResultPanel endpoint={endpoint} />
    </article>
  );
}

function Title({ endpoint }: Props) {
  const { name, description, max_rows: maxRows, cache, warming, pii, limits } = endpoint;
  const facts = [
    `up to ${maxRows.toLocaleString('en')} rows`,
    cacheFact(cache),
    ...(warming === null ? [] : [`warmed every ${duration(warming.every)}`]),
    ...(pii.redact ? ['personal data redacted'] : []),
    ...(limits.rate === null ? [] : [limits.rate.replace('/', ' requests per ').replace(/s$/, ' s')]),
  ];
  return (
    <div class="title">
      <h1 class="mono">{name}</h1>
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

function QueryTabs({ endpoint }: Props) {
  const { address, change } = useExplorer();
  const languages = sandboxOf(endpoint)?.languages ?? [];
  if (languages.length === 0) return null;
  const tabs = [
    { name: 'saved' as const, label: 'Saved query' },
    ...(['sql', 'lql'] as const)
      .filter((language) => languages.includes(language))
      .map((name) => ({ name, label: `Your ${name.toUpperCase()}` })),
  ];
  return (
    <Tabs<QueryKind>
      label="Query"
      tabs={tabs}
      current={address.value.query}
      controls="query-panel"
      onChoose={(query) => change({ query, view: undefined, sort: undefined })}
    />
  );
}
