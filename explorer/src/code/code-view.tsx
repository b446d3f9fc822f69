// The call as code to paste elsewhere.
import type { Endpoint } from '../service/listing.ts';
export function CodeView({ endpoint }: { readonly endpoint: Endpoint }) {
  return <p class="empty">{endpoint.name}</p>;
}
