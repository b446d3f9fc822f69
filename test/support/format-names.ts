// Names of the engine's formats.

/** Other names of formats that have a name without these as well. */
export const OTHER_NAMES = /^(?:Raw|TabSeparated|MD$|NDJSON|PrettyNDJSON)|NoEscapes|JSONL(?:ines)?$/;

/** Such as JSON and Pretty, by the beginning of their names. */
export const familyOf = (name: string): string =>
  /^(?:JSON|CSV|TSV|Pretty|RowBinary|[A-Z]+[a-z]*)/.exec(name)?.[0] ?? name;
