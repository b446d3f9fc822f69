// A query of one's own.
import type { Endpoint, Language } from '../service/listing.ts';
export function OwnQuery({ language }: { readonly endpoint: Endpoint; readonly language: Language }) {
  return <p>{language}</p>;
}
