// The page frame: header, endpoint list and the selected endpoint.
import { EndpointPage } from './frame/endpoint-page.tsx';
import { Header } from './frame/header.tsx';
import { KeyEntry } from './frame/key-entry.tsx';
import { EndpointList } from './frame/endpoint-list.tsx';
import { ListingProblem } from './frame/listing-problem.tsx';
import { useExplorer } from './state/context.ts';

export function App() {
  const { key, notice } = useExplorer();
  return (
    <>
      <Header />
      {key.value === undefined ? <KeyEntry /> : <Workplace />}
      <div class="notice" role="status" aria-live="polite" data-shown={notice.value !== ''}>
        {notice.value}
      </div>
    </>
  );
}

function Workplace() {
  const { listing, endpoint } = useExplorer();
  if (listing.value.kind === 'failed') return <ListingProblem problem={listing.value.problem} />;
  return (
    <div class="workplace">
      <EndpointList />
      <main class="main" aria-label="Endpoint">
        {endpoint.value === undefined ? (
          <Nothing />
        ) : (
          <EndpointPage key={endpoint.value.id} endpoint={endpoint.value} />
        )}
      </main>
    </div>
  );
}

function Nothing() {
  const { listing, address } = useExplorer();
  const { value } = listing;
  if (value.kind !== 'ready')
    return <div class="skeleton-page" aria-busy="true" aria-label="Loading the endpoints" />;
  const isEmpty = value.endpoints.length === 0;
  return (
    <div class="empty">
      <h1>{isEmpty ? 'Your key covers no endpoint' : 'There is no such endpoint'}</h1>
      <p>
        {isEmpty
          ? 'Ask the issuer of your key to add endpoints to it, then reload this page.'
          : `“${address.value.endpoint}” is not among the endpoints of your key. Choose one from the list.`}
      </p>
    </div>
  );
}
