// The versions of an endpoint, to change between, and its deprecation.
import type { Endpoint } from '../service/listing.ts';

interface Props {
  readonly endpoint: Endpoint;
}

export function Versions({ endpoint: { name, version, versions } }: Props) {
  if (version === null || versions.length < 2) return null;
  return (
    <nav class="versions" aria-label="Versions">
      {versions.map((each) => (
        <a
          key={each.name}
          href={fragmentOf(each.name)}
          aria-current={each.name === name ? 'page' : undefined}
        >
          version {each.version}
        </a>
      ))}
    </nav>
  );
}

export function DeprecationNote({ endpoint: { deprecated } }: Props) {
  if (deprecated === null) return null;
  const { since, sunset, successor, reason } = deprecated;
  return (
    <p class="deprecation" role="note">
      <strong>Deprecated</strong> since {since}
      {sunset !== null && `, served until ${sunset}`}
      {successor !== null && (
        <>
          ; use <a href={fragmentOf(successor)}>{successor}</a> instead
        </>
      )}
      .{reason !== null && ` ${reason}`}
    </p>
  );
}

function fragmentOf(name: string): string {
  return `#/${encodeURIComponent(name)}`;
}
