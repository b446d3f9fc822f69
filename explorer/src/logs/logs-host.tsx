// Holds the log view, which is a separate chunk and loaded when first needed.
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Endpoint } from '../service/listing.ts';
import type { LogView } from './view.ts';

interface Props {
  readonly endpoint: Endpoint;
  readonly views: readonly [LogView, ...LogView[]];
}

export function LogsHost(props: Props) {
  const [loaded, setLoaded] = useState<{ readonly View: FunctionComponent<Props> }>();
  useEffect(() => void import('./logs-view.tsx').then(({ LogsView }) => setLoaded({ View: LogsView })), []);
  if (loaded === undefined)
    return <div class="skeleton-page" aria-busy="true" aria-label="Loading the log view" />;
  return <loaded.View {...props} />;
}
