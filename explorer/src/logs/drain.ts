// Clusters messages that have as many words and differ in few of them, as Drain does (He et al., ICWS 2017). Parts that always vary,
// such as numbers, are masked first, by the engine or here.

/** It replaces the parts that vary. */
export const WILDCARD = '<*>';

/**
 * Matches UUIDs, times, addresses of mail and networks, long hexadecimal words, texts in double quotes and numbers. The syntax is valid
 * in both RE2 and JavaScript.
 */
export const VARIABLE = [
  String.raw`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`,
  String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`,
  String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  String.raw`(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}`,
  String.raw`\d+(?:\.\d+){3}(?::\d+)?`,
  String.raw`\b(?:0x)?[0-9a-fA-F]{12,}\b`,
  String.raw`"[^"]{0,200}"`,
  String.raw`\d+(?:\.\d+)?`,
].join('|');

const MASK = new RegExp(VARIABLE, 'g');
/** Characters of a message that are compared. */
export const COMPARED = 500;
/** Share of equal words from which two texts are of one cluster. */
const SIMILAR = 0.5;
/** Clusters of one length and first word that are compared with. */
const MAX_NEAR = 100;

/** A text with its wildcards, and what is known of the messages that have it. */
export interface Masked<Facts> {
  readonly text: string;
  readonly facts: Facts;
}

export interface Cluster<Facts> {
  /** Words, wildcards among them, joined by spaces. */
  readonly template: string;
  readonly members: readonly Facts[];
}

export function masked(message: string): string {
  return message.slice(0, COMPARED).replace(MASK, WILDCARD);
}

/** The clusters, in the order of their first members: the most frequent texts first make the best templates. Linear time. */
export function clustersOf<Facts>(texts: readonly Masked<Facts>[]): readonly Cluster<Facts>[] {
  const tree = new Map<string, { words: readonly string[]; readonly members: Facts[] }[]>();
  const all: { words: readonly string[]; readonly members: Facts[] }[] = [];
  for (const { text, facts } of texts) {
    const words = text.split(/\s+/);
    const [first = ''] = words;
    const leaf = `${words.length} ${first.includes(WILDCARD) ? WILDCARD : first}`;
    const near = tree.get(leaf) ?? [];
    tree.set(leaf, near);
    const cluster = near.find((each) => similarity(each.words, words) >= SIMILAR);
    if (cluster !== undefined) {
      cluster.words = cluster.words.map((word, index) => (word === words[index] ? word : WILDCARD));
      cluster.members.push(facts);
      continue;
    }
    const added = { words, members: [facts] };
    all.push(added);
    if (near.length < MAX_NEAR) near.push(added);
  }
  return all.map(({ words, members }) => ({ template: words.join(' '), members }));
}

/** Both texts have the same number of words. Wildcards are no evidence for or against. */
function similarity(words: readonly string[], others: readonly string[]): number {
  let same = 0;
  let compared = 0;
  for (const [index, word] of words.entries()) {
    const isSame = word === others[index];
    if (isSame && word.includes(WILDCARD)) continue;
    compared++;
    if (isSame) same++;
  }
  return compared === 0 ? 1 : same / compared;
}

/** A regular expression of RE2 that messages of the cluster match, as far as they are compared. */
export function regexOf(template: string): string {
  const parts = template
    .split(WILDCARD)
    .map((part) => part.replace(/[.?*+()[\]{}|^$\\]/g, String.raw`\$&`).replaceAll(' ', String.raw`\s+`));
  return `(?s)^${parts.join('.*?').slice(0, MAX_REGEX)}`;
}

const MAX_REGEX = 1000;
