// Canonical texts as messages show them.

const MAX_SHOWN = 200;

/** A canonical text without the types of parameters and constants. */
export function show(text: string): string {
  const plain = text
    .replaceAll(/@(\w+):[A-Z]\w*(?:\([^()]*\))*/g, '@$1')
    .replaceAll(/\b(?:U?Int64|Float64)_(-?[\d.]+):\w+/g, '$1');
  return plain.length <= MAX_SHOWN ? plain : `${plain.slice(0, MAX_SHOWN - 1)}…`;
}
