// Conditions inside `{{ … }}`, `{{ a if c else b }}`, as tags: `{% if c %}{{ a }}{% else %}{{ b }}{% endif %}`.
import { composed, type Unrolled } from './unroll.ts';

const OUTPUT = /\{\{-?(?<inner>(?:[^{}'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*?)-?\}\}/gs;
const WORD = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[()[\]]|\b(?:if|else)\b/gs;
/** Most conditions in one another. */
const MAX_DEPTH = 10;

/** Undefined if the text has none. */
export function withInlineConditions(text: string): Unrolled | undefined {
  const pieces: { text: string; at: number; isCopied: boolean }[] = [];
  let at = 0;
  for (const match of text.matchAll(OUTPUT)) {
    const inner = match.groups?.['inner'] ?? '';
    const written = tagsOf(inner, 0);
    if (written === undefined) continue;
    pieces.push(
      { text: text.slice(at, match.index), at, isCopied: true },
      { text: written, at: match.index, isCopied: false },
    );
    at = match.index + match[0].length;
  }
  return pieces.length === 0
    ? undefined
    : composed([...pieces, { text: text.slice(at), at, isCopied: true }]);
}

function tagsOf(expression: string, depth: number): string | undefined {
  const [condition, other] = wordsOf(expression);
  if (condition?.[0] !== 'if' || (other !== undefined && other[0] !== 'else') || depth > MAX_DEPTH)
    return undefined;
  const then = expression.slice(0, condition.index);
  const when = expression.slice(condition.index + 'if'.length, other?.index);
  if (other === undefined) return `{% if${when} %}{{${then}}}{% endif %}`;
  const rest = expression.slice(other.index + 'else'.length);
  const otherwise = tagsOf(rest, depth + 1) ?? `{{${rest}}}`;
  return `{% if${when} %}{{${then}}}{% else %}${otherwise}{% endif %}`;
}

/** `if` and `else` outside of parentheses. */
function wordsOf(expression: string): readonly RegExpExecArray[] {
  let depth = 0;
  return [...expression.matchAll(WORD)].filter(([word]) => {
    if (word === '(' || word === '[') depth++;
    else if (word === ')' || word === ']') depth--;
    else return depth === 0 && (word === 'if' || word === 'else');
    return false;
  });
}
