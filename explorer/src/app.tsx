// The page frame: header, endpoint list and the selected endpoint.
import { EndpointPage } from './frame/endpoint-page.tsx';
import { Header } from './frame/header.tsx';
import { Keys } from './frame/keys-dialog.tsx';
import { KeyEntry } from './frame/key-entry.tsx';
import { FileFindings } from './frame/file-findings.tsx';
import { EndpointList } from './frame/endpoint-list.tsx';
import { ListingProblem } from './frame/listing-problem.tsx';
import { Palette } from './palette/palette-dialog.tsx';
import { useExplorer } from './state/context.ts';

export function App() {
  const { key, notice } = useExplorer();
  return (
    <>
      {key.value !== undefined && (
        <a class="skip-link" href="#main" onClick={skipToMain}>
          Skip to the endpoint
        </a>
      )}
      <Header />
      {key.value === undefined ? <KeyEntry /> : <Workspace />}
      <Palette />
      <Keys />
      <div class="notice" role="status" aria-live="polite" data-shown={notice.value !== ''}>
        {notice.value}
      </div>
    </>
  );
}

function Workspace() {
  const { listing, endpoint } = useExplorer();
  if (listing.value.kind === 'failed') return <ListingProblem problem={listing.value.problem} />;
  return (
    <div class="workspace">
      <EndpointList />
      <main class="main" id="main" tabIndex={-1} aria-label="Endpoint">
        <FileFindings />
        {endpoint.value === undefined ? (
          <NoEndpoint />
        ) : (
          <EndpointPage key={endpoint.value.id} endpoint={endpoint.value} />
        )}
      </main>
    </div>
  );
}

/** The fragment holds the page's state, so the link moves the focus itself. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function NoEndpoint() {
  const { listing, address } = useExplorer();
  const { value } = listing;
  if (value.kind !== 'ready')
    return <div class="skeleton-page" aria-busy="true" aria-label="Loading the endpoints" />;
  const isEmpty = value.endpoints.length === 0;
  return (
    <div class="empty">
      <h1>{isEmpty ? 'No endpoints for this key' : 'Unknown endpoint'}</h1>
      <p>
        {isEmpty
          ? 'Ask the issuer of the key to add endpoints to it.'
          : `Your key may not call “${address.value.endpoint}”, or it does not exist. Choose an endpoint from the list.`}
      </p>
    </div>
  );
}
