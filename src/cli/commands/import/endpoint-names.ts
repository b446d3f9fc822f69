// Names of endpoints from titles of another tool.

const MAX_LENGTH = 100;
const MAX_SEGMENT = 60;

/** A valid name: segments of lowercase letters, digits and `-`, joined by dots. */
export function endpointName(segments: readonly string[], fallback: string): string {
  const valid = segments.map(segmentOf).filter((segment) => segment !== '');
  const joined = valid.join('.').replace(/^[^a-z]+/, '');
  const name = joined === '' ? `${fallback}-${valid.join('-')}` : joined;
  return name.slice(0, MAX_LENGTH).replace(/[.-]+$/, '');
}

function segmentOf(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_SEGMENT)
    .replace(/-+$/, '');
}

/** Gives each name once: the next of the same name gets a number. */
export function createUniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    let unique = name;
    for (let n = 2; taken.has(unique); n++) unique = `${name.slice(0, MAX_LENGTH - 6)}-${n}`;
    taken.add(unique);
    return unique;
  };
}
