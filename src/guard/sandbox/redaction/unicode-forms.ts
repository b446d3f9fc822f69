// Canonically equivalent strings (UAX #15), for expressions over names that cannot be normalized first.

/** A base character with its marks, or the letters of a Hangul syllable, of a string in NFD. */
export const SEQUENCES = /[\u1100-\u115f][\u1160-\u11ff]+|\P{M}\p{M}*|\p{M}+/gsu;

/** Sequences with many marks have more forms than an expression should have. */
const MAX_FORMS = 100;

/** ASCII characters as which others are normalized. Letters are not here: RE2 matches U+212A as `k`. */
const ASCII_FORMS: ReadonlyMap<string, readonly string[]> = new Map([
  [';', [';', '\u037e']],
  ['`', ['`', '\u1fef']],
]);

/** The forms of a sequence in NFD and in lower case, the sequence among them. */
export function formsOf(sequence: string): readonly string[] {
  if (/^[\0-\x7f]*$/.test(sequence)) return ASCII_FORMS.get(sequence) ?? [sequence];
  const forms = new Set([sequence]);
  for (const form of forms) {
    for (const other of nextForms(Array.from(form))) {
      if (forms.size < MAX_FORMS && lowerDecomposed(other) === sequence) forms.add(other);
    }
  }
  return [...forms];
}

/** With some characters composed, or two in the other order. */
function* nextForms(characters: readonly string[]): Iterable<string> {
  for (let start = 0; start < characters.length; start++) {
    for (let end = start + 1; end <= characters.length; end++) {
      const part = characters.slice(start, end).join('');
      const reordered = characters.slice(start, end).toReversed().join('');
      for (const instead of [part.normalize('NFC'), reordered, ...(otherForms().get(part) ?? [])])
        yield [...characters.slice(0, start), instead, ...characters.slice(end)].join('');
    }
  }
}

let known: Map<string, string[]> | undefined;

/** Characters that normalization does not produce, by what they are equivalent to. They are found at the first use: it takes 30 ms. */
function otherForms(): ReadonlyMap<string, readonly string[]> {
  if (known !== undefined) return known;
  known = new Map();
  for (let code = 0x80; code < 0x3_00_00; code++) {
    const character = String.fromCodePoint(code);
    const lower = character.toLowerCase();
    // RE2 matches letters in upper case, but not U+0130, which two characters are in lower case.
    const isOther =
      lower === character ? character.normalize('NFC') !== character : lower.length > character.length;
    if (!isOther) continue;
    const decomposed = lowerDecomposed(character);
    known.set(decomposed, [...(known.get(decomposed) ?? []), character]);
  }
  return known;
}

function lowerDecomposed(text: string): string {
  return text.toLowerCase().normalize('NFD');
}
