// Names of the engine's formats.

/** Other names of formats that have a name without these as well. */
export const OTHER_NAMES = /^(?:Raw|TabSeparated|MD$|NDJSON|PrettyNDJSON)|NoEscapes|JSONL(?:ines)?$/;
