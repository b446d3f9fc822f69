// The Link header field (RFC 8288).

export interface Link {
  /** Relative to the URL of the request. */
  readonly target: string;
  readonly rel: string;
}

/** The field; nothing without links. */
export function linkField(links: readonly Link[]): { readonly Link?: string } {
  if (links.length === 0) return {};
  return { Link: links.map(({ target, rel }) => `<${target}>; rel="${rel}"`).join(', ') };
}
