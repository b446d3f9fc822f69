// The list of suggestions below a field: which are shown, which one is chosen, and the keys that move in it.
import { useState } from 'preact/hooks';
import { suggestionsAt, type LqlWords, type Suggestion } from '../query/lql-completion.ts';
import { scoreOf } from '../palette/match.ts';

export interface SuggestionList {
  readonly options: readonly Suggestion[];
  /** The index of the chosen one; below 0 if none is. */
  readonly active: number;
  /** Shows the list for the place of the cursor. */
  open(text: string, cursor: number, isAsked?: boolean): void;
  close(): void;
  move(step: 1 | -1): void;
  /** The text with this suggestion, and where the cursor is then. */
  accept(text: string, option: Suggestion): { readonly text: string; readonly cursor: number };
}

interface Shown {
  readonly from: number;
  readonly cursor: number;
  readonly options: readonly Suggestion[];
  readonly active: number;
}

const MAX_SHOWN = 50;

export function useSuggestions(words: LqlWords): SuggestionList {
  const [shown, setShown] = useState<Shown>();
  const options = shown?.options ?? [];
  return {
    options,
    active: shown?.active ?? -1,
    open: (text, cursor, isAsked = false) => {
      const found = suggestionsAt(text, cursor, words);
      const word = text.slice(found?.from, cursor);
      if (found === undefined || (word === '' && !isAsked && !/[:(|]$/.test(text.slice(0, cursor))))
        return setShown(undefined);
      setShown({ from: found.from, cursor, options: matching(found.options, word), active: -1 });
    },
    close: () => setShown(undefined),
    move: (step) => {
      if (shown === undefined || options.length === 0) return;
      const next = shown.active < 0 && step < 0 ? options.length - 1 : shown.active + step;
      setShown({ ...shown, active: (next + options.length) % options.length });
    },
    accept: (text, { insert, kind }) => {
      const { from, cursor } = shown ?? { from: text.length, cursor: text.length };
      const isWhole = (kind === 'value' || kind === 'time') && !/^[ \t|)]/.test(text.slice(cursor));
      const isListed = /\([^)]*$/.test(text.slice(0, from));
      const end = isWhole && !isListed ? ' ' : '';
      return {
        text: `${text.slice(0, from)}${insert}${end}${text.slice(cursor)}`,
        cursor: from + insert.length + end.length,
      };
    },
  };
}

/** Options that begin like the word come first; the word itself is no suggestion. */
function matching(options: readonly Suggestion[], word: string): readonly Suggestion[] {
  if (word === '') return options.slice(0, MAX_SHOWN);
  const plain = word.replace(/^-?"?/, '');
  const scored = options.flatMap((option) => {
    const score = option.insert === word ? undefined : scoreOf(plain, option.label);
    return score === undefined ? [] : [{ option, score }];
  });
  return scored
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_SHOWN)
    .map(({ option }) => option);
}
