// One endpoint: a bar with its name, its description and parameters below until they are folded, its query, and the result.
import { useMemo, useRef } from 'preact/hooks';
import type { Endpoint } from '../service/listing.ts';
import { sandboxOf } from '../service/listing.ts';
import { LogsHost } from '../logs/logs-host.tsx';
import { heldBy, parametersOf } from '../logs/log-range.ts';
import { logViewsOf, type LogView } from '../logs/view.ts';
import { useExplorer } from '../state/context.ts';
import { ALL_LOGS, type QueryKind } from '../state/address.ts';
import { isComplete } from '../state/navigation.ts';
import { PairControl, usePairActions } from '../form/pair-control.tsx';
import { ParameterForm } from '../form/parameter-form.tsx';
import { Presets } from '../form/presets.tsx';
import { RunBar } from '../form/run-bar.tsx';
import { timePairOf, type TimePair } from '../form/time-pair.ts';
import { usePaletteActions } from '../palette/use-palette-actions.ts';
import { Icon } from '../parts/icon.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Visible } from '../parts/visible.tsx';
import { ConsumerQueryView } from '../query/consumer-query.tsx';
import { ResultPanel } from '../result/result-panel.tsx';
import { Divider } from './divider.tsx';
import { EndpointTitle } from './endpoint-title.tsx';
import { useFold, type Fold } from './use-fold.ts';

interface Props {
  readonly endpoint: Endpoint;
}

export function EndpointPage({ endpoint }: Props) {
  const { address, split } = useExplorer();
  const { query } = address.value;
  const ask = useRef<HTMLDivElement>(null);
  const logViews = useMemo(() => logViewsOf(endpoint), [endpoint]);
  const [firstView] = logViews;
  const isLogs = address.value.logs !== undefined && firstView !== undefined;
  const shownView = logViews.find(({ table }) => table === address.value.logs?.table) ?? firstView;
  const held = isLogs && shownView !== undefined ? heldBy(shownView) : [];
  const fold = useFold(isLogs && isComplete(endpoint, address.value, held));
  const { isFolded, body } = fold;
  const pair = isLogs ? undefined : timePairOf(endpoint);
  usePairActions(pair); // the log view has its own
  usePaletteActions('fold', [
    {
      id: 'fold',
      label: isFolded ? 'Unfold the form' : 'Fold the form',
      hint: 'parameters',
      run: fold.toggle,
    },
  ]);
  const isSized = !isLogs && split.value !== undefined && !(isFolded && query === 'saved');
  return (
    <article class="endpoint">
      <div
        class="ask"
        id="ask"
        ref={ask}
        data-folded={isFolded}
        data-sized={isSized}
        style={{ height: isSized ? `${split.value}px` : '' }}
      >
        <Head endpoint={endpoint} fold={fold} pair={pair} held={held} />
        <div class="ask-body" id="ask-body" ref={body} hidden={isFolded}>
          <EndpointTitle endpoint={endpoint} />
          <Presets endpoint={endpoint} />
          <ParameterForm endpoint={endpoint} held={held} />
        </div>
        <div class="ask-bar">
          <QueryTabs endpoint={endpoint} logView={shownView} />
          {!isLogs && <RunBar endpoint={endpoint} />}
        </div>
        <div id="query-panel">
          {!isLogs && query !== 'saved' && (
            <ConsumerQueryView key={query} endpoint={endpoint} language={query} />
          )}
        </div>
      </div>
      {isLogs ? (
        <LogsHost endpoint={endpoint} views={[firstView, ...logViews.slice(1)]} />
      ) : (
        <>
          {!(isFolded && query === 'saved') && <Divider above={ask} />}
          <ResultPanel endpoint={endpoint} />
        </>
      )}
    </article>
  );
}

interface HeadProps extends Props {
  readonly fold: Fold;
  readonly pair: TimePair | undefined;
  /** The names of parameters that are set elsewhere. */
  readonly held: readonly string[];
}

/** The endpoint's name, which folds and unfolds what is below; folded also the parameters in short, and their time range. */
function Head({ endpoint, fold, pair, held }: HeadProps) {
  const { start } = useExplorer();
  const { isFolded, toggle, button } = fold;
  const others = pair === undefined ? held : [pair.from.name, pair.to.name];
  return (
    <div class="ask-head">
      <h1 class="mono">
        <button
          type="button"
          class="fold"
          ref={button}
          aria-expanded={!isFolded}
          aria-controls="ask-body"
          title={isFolded ? 'Unfold description and parameters' : 'Fold description and parameters'}
          onClick={toggle}
        >
          <Icon name="open" />
          {endpoint.name}
        </button>
      </h1>
      {isFolded && endpoint.deprecated !== null && <span class="deprecated-tag">deprecated</span>}
      {isFolded && <ParametersInShort endpoint={endpoint} others={others} onClick={toggle} />}
      {isFolded && pair !== undefined && <PairControl pair={pair} onChosen={() => void start()} />}
    </div>
  );
}

interface ShortProps extends Props {
  /** The names of parameters that are shown elsewhere. */
  readonly others: readonly string[];
  readonly onClick: () => void;
}

function ParametersInShort({ endpoint, others, onClick }: ShortProps) {
  const { address } = useExplorer();
  const values = address.value.parameters;
  const filled = endpoint.parameters.filter(
    ({ name }) => !others.includes(name) && (values[name] ?? '') !== '',
  );
  if (filled.length === 0) return null;
  return (
    <button type="button" class="in-short mono" title="Change the parameters" onClick={onClick}>
      <span class="visually-hidden">Change the parameters: </span>
      {filled.map(({ name }) => (
        <span key={name} class="in-short-value">
          <span class="in-short-name">{name}</span> <Visible text={values[name] ?? ''} />
        </span>
      ))}
    </button>
  );
}

interface QueryTabsProps extends Props {
  /** It is undefined if the endpoint has no log view. */
  readonly logView: LogView | undefined;
}

function QueryTabs({ endpoint, logView }: QueryTabsProps) {
  const { address, change, page } = useExplorer();
  const { query, logs } = address.value;
  const languages = sandboxOf(endpoint)?.languages ?? [];
  if (languages.length === 0) return null;
  const tabs = [
    { name: 'saved' as const, label: 'Saved query' },
    ...(['sql', 'lql'] as const)
      .filter((language) => languages.includes(language))
      .map((name) => ({ name, label: `Your ${name.toUpperCase()}` })),
    ...(logView !== undefined ? [{ name: 'logs' as const, label: 'Logs' }] : []),
  ];
  return (
    <Tabs<QueryKind | 'logs'>
      label="Query"
      tabs={tabs}
      current={logView !== undefined && logs !== undefined ? 'logs' : query}
      controls="query-panel"
      onChoose={(chosen) => {
        if (chosen === 'logs') return change({ logs: logs ?? ALL_LOGS });
        const shown = { address: address.value, now: page.epoch() };
        const ranged =
          logs !== undefined && logView !== undefined
            ? { parameters: parametersOf(endpoint, logView, shown) }
            : {};
        return change({ query: chosen, logs: undefined, view: undefined, sort: undefined, ...ranged });
      }}
    />
  );
}
