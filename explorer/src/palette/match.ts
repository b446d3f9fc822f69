// Fuzzy matching: the letters of what is typed, in order, ranked by where they occur.

/** A word's beginning counts more than a letter within it, and letters that follow each other more than scattered ones. */
const SCORES = { wordStart: 12, following: 8, letter: 1, gap: 0.2, first: 6 } as const;
const MAX_QUERY = 60;
const MAX_TEXT = 120;

/** Undefined if the text does not match; otherwise the higher, the better. Every word of the query has to match. */
export function scoreOf(query: string, text: string): number | undefined {
  const words = query
    .slice(0, MAX_QUERY)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  let sum = 0;
  for (const word of words) {
    const score = scoreOfWord(word, text.slice(0, MAX_TEXT).toLowerCase());
    if (score === undefined) return undefined;
    sum += score;
  }
  return sum - text.length * 0.02; // of two equal matches, the shorter text
}

function scoreOfWord(word: string, text: string): number | undefined {
  const at = text.indexOf(word);
  const whole =
    at === -1 ? undefined : Math.max(...occurrences(word, text).map((each) => runScore(word, text, each)));
  return whole ?? scatteredScore(word, text);
}

function occurrences(word: string, text: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) found.push(at);
  return found;
}

/** The word as a whole, at a position. */
function runScore(word: string, text: string, at: number): number {
  const start = isWordStart(text, at) ? SCORES.wordStart : 0;
  return start + (at === 0 ? SCORES.first : 0) + word.length * SCORES.following;
}

/** Each letter at its first position after the one before, the start of a word if there is one. */
function scatteredScore(word: string, text: string): number | undefined {
  if (word.length > 20) return undefined;
  let score = 0;
  let last = -1;
  for (const letter of word) {
    const at = nextPosition(letter, text, last + 1);
    if (at === -1) return undefined;
    const isFollowing = at === last + 1 && last !== -1;
    score += isWordStart(text, at)
      ? SCORES.wordStart / 2
      : isFollowing
        ? SCORES.following / 2
        : SCORES.letter;
    score -= (at - last - 1) * SCORES.gap;
    last = at;
  }
  return score > 0 ? score : undefined;
}

function nextPosition(letter: string, text: string, from: number): number {
  if (text[from] === letter) return from;
  for (let at = from; at < text.length; at++) if (text[at] === letter && isWordStart(text, at)) return at;
  return text.indexOf(letter, from);
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[^a-z0-9]/.test(text[at - 1] ?? '');
}
