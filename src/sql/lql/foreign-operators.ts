// What other query languages have and LQL does not: boolean operators and groups. Searched for as words, they would find other rows.
import type { TextSpan } from '../base/finding.ts';
import type { Fault } from './finding.ts';

const ORS = ['OR', '||'];

const HINTS: ReadonlyMap<string, string> = new Map([
  ...ORS.map(
    (each) =>
      [each, 'write m.status:(500|503) for one of several values, ~"a|b" for one of several words'] as const,
  ),
  ...['AND', '&&'].map((each) => [each, 'leave it out: a row matches if all clauses are true'] as const),
  ...['NOT', '!'].map((each) => [each, 'write - directly before a clause, as in -error'] as const),
]);

export function isForeignOr(word: string): boolean {
  return ORS.includes(word);
}

/** Returns whether a word is an operator elsewhere, so that it is searched for only in double quotes. */
export function isForeignOperator(word: string): boolean {
  return HINTS.has(word);
}

export interface ForeignSyntax {
  /** In the term. */
  readonly span: TextSpan;
  readonly fault: Fault;
  /** It is true if it ends what may have been reported at its beginning. */
  readonly isClosing: boolean;
}

/** What a bare term has that LQL does not; undefined if it has nothing. */
export function foreignSyntax(term: string): ForeignSyntax | undefined {
  const hint = HINTS.get(term);
  if (hint !== undefined) {
    const message = `${term} is no operator of LQL`;
    const all = `${hint}; to search for ${term}, put it in double quotes`;
    const fault: Fault = { code: 'lql.operator_unknown', message, hint: all };
    return { span: { start: 0, end: term.length }, fault, isClosing: false };
  }
  const at = groupAt(term);
  if (at === undefined) return undefined;
  return { span: { start: at, end: at + 1 }, fault: GROUP, isClosing: term[at] === ')' };
}

const GROUP: Fault = {
  code: 'lql.operator_unknown',
  message: 'LQL has no groups of clauses in parentheses',
  hint: 'leave the parentheses out, or write ~"a|b" for one of several words; to search for text with them, put it in double quotes',
};

/** The index of a parenthesis that opens a group, or closes one: those inside of a word, as in `count(x)`, are text. */
function groupAt(term: string): number | undefined {
  if (term.startsWith('(')) return 0;
  let open = 0;
  for (let at = 0; at < term.length; at++) {
    if (term[at] === '(') open++;
    else if (term[at] === ')' && --open < 0) return at;
  }
  return undefined;
}
