// Which names of a query are those of records.
import type { Token } from './lexer.ts';

/** A name counts as a record if a dot follows it somewhere, or if it occurs alone at most once: that is its definition. */
export function recordNames(tokens: readonly Token[]): (name: string) => boolean {
  const dotted = new Set<string>();
  const alone = new Map<string, number>();
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'word' && kind !== 'quoted') continue;
    const name = text.toLowerCase();
    const isSymbol = (at: number) => tokens[at]?.kind === 'symbol' && tokens[at].text === '.';
    if (isSymbol(index + 1)) dotted.add(name);
    else if (!isSymbol(index - 1)) alone.set(name, (alone.get(name) ?? 0) + 1);
  }
  return (name) => dotted.has(name) || (alone.get(name) ?? 0) < 2;
}
