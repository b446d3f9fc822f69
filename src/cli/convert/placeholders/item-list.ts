// Splits fragments of SQL at the commas of a list of columns with names: `a AS x, f(b, c) AS y,`.
import type { Fragment } from './output.ts';
import { readRegions } from './source-lexer.ts';
import type { TemplateDialect } from './template.ts';

export interface ItemList {
  readonly items: readonly { readonly fragments: readonly Fragment[]; readonly name: string }[];
  /** A comma follows the last item. */
  readonly hasEnd: boolean;
}

const ALIAS = /\s+as\s+([A-Za-z_]\w*|"[^"]+"|`[^`]+`)\s*$/i;
/** After a call or a literal, a name is an alias, unless it ends the value. */
const BARE_ALIAS = /(?<=[)\]'\d])\s+(?!end\b|desc\b|asc\b)([A-Za-z_]\w*|"[^"]+"|`[^`]+`)\s*$/i;

/** The items; undefined if one has no name, or if the list ends inside parentheses. */
export function readItems(fragments: readonly Fragment[], dialect: TemplateDialect): ItemList | undefined {
  const text = fragments.map((fragment) => fragment.text).join('');
  const commas = commasOf(text, dialect);
  if (commas === undefined) return undefined;
  const hasEnd = commas.length > 0 && text.slice((commas.at(-1) ?? 0) + 1).trim() === '';
  const ends = hasEnd ? commas : [...commas, text.length];
  const items: ItemList['items'][number][] = [];
  let start = 0;
  for (const end of ends) {
    const item = text.slice(start, end);
    const match = ALIAS.exec(item) ?? BARE_ALIAS.exec(item);
    const name = match?.[1] ?? /^\s*(?:\w+\.)*([A-Za-z_]\w*)\s*$/.exec(item)?.[1];
    if (name === undefined) return undefined;
    items.push({ fragments: sliceFragments(fragments, start, start + (match?.index ?? item.length)), name });
    start = end + 1;
  }
  return { items, hasEnd };
}

/** The commas outside of parentheses; undefined if they do not match. */
export function commasOf(text: string, dialect: TemplateDialect): readonly number[] | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (const { kind, start, end } of readRegions(text, dialect, () => undefined)) {
    if (kind === 'comment') return undefined; // could hide the name of an item
    if (kind !== 'code') continue;
    for (let at = start; at < end; at++) {
      const char = text[at];
      if (char === '(' || char === '[') depth++;
      else if (char === ')' || char === ']') depth--;
      else if (char === ',' && depth === 0) commas.push(at);
    }
  }
  return depth === 0 ? commas : undefined;
}

/** The fragments between two offsets of their text. */
export function sliceFragments(
  fragments: readonly Fragment[],
  from: number,
  to: number,
): readonly Fragment[] {
  const found: Fragment[] = [];
  let at = 0;
  for (const fragment of fragments) {
    const [low, high] = [Math.max(from - at, 0), Math.min(to - at, fragment.text.length)];
    const isUseOnly = fragment.text === '' && at >= from && at <= to; // a parameter of a choice
    if (low < high || isUseOnly) {
      const isWhole = low === 0 && high === fragment.text.length;
      const moved = {
        text: fragment.text.slice(low, high),
        at: fragment.at + (fragment.isCopied ? low : 0),
        isCopied: fragment.isCopied,
      };
      found.push(isWhole ? fragment : moved);
    }
    at += fragment.text.length;
  }
  return found;
}
