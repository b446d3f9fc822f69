// Holds the log view, which is a separate chunk and loaded when first needed.
import { NotLoaded, useChunk } from '../parts/use-chunk.tsx';
import type { Endpoint } from '../service/listing.ts';
import type { LogView } from './view.ts';

interface Props {
  readonly endpoint: Endpoint;
  readonly views: readonly [LogView, ...LogView[]];
}

export function LogsHost(props: Props) {
  const { module, hasFailed } = useChunk(() => import('./logs-view.tsx'));
  if (hasFailed) return <NotLoaded what="The log view" />;
  if (module === undefined)
    return <div class="skeleton-page" aria-busy="true" aria-label="Loading the log view" />;
  return <module.LogsView {...props} />;
}
