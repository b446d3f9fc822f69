// Names of parameters from names of placeholders.

/** Parameters of every request, as in `schemas/endpoint.schema.json`, and the name of parts that were not converted. */
const RESERVED = /^(sql|lql|format|dialect|(not_converted|optional_limit)_\d+)$/;
const MAX_LENGTH = 64;

export interface ParameterNames {
  /** The parameter of a placeholder; always the same for one `written`. */
  readonly of: (written: string) => string;
}

/** Valid names that differ if the placeholders do. */
export function createNames(): ParameterNames {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  return {
    of: (written) => {
      const known = names.get(written);
      if (known !== undefined) return known;
      const plain = validName(written);
      let name = plain;
      for (let n = 2; taken.has(name); n++) name = `${plain.slice(0, MAX_LENGTH - 6)}_${n}`;
      taken.add(name);
      names.set(written, name);
      return name;
    },
  };
}

/** A valid name: letters, digits and underscores. */
function validName(written: string): string {
  const plain = written
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .trim()
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^(?=\d)/, 'p')
    .slice(0, MAX_LENGTH);
  if (/^_*$/.test(plain)) return 'value';
  return plain.replace(RESERVED, '$1_value');
}
