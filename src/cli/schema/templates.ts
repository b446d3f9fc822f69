// Placeholders of migration tools in statements, replaced by environment variables.
import { tokenKinds } from '../../sql/clickhouse/tree/lexemes.ts';

/** Upper-case names only: `{{name}}` and `${name}` are also values in queries. */
const PLACEHOLDER = /\$\{([A-Z][A-Z0-9_]*)\}|\{\{-? *\.?([A-Z][A-Z0-9_]*) *-?\}\}/g;

/** The variables that files may read, with their values. */
export type Variables = ReadonlyMap<string, string | undefined>;

/** The same in a statement that was put together from its tokens. */
const SPACED =
  /\$\s{0,8}\{\s{0,8}([A-Z][A-Z0-9_]*)\s{0,8}\}|\{\s{0,8}\{\s{0,8}-?\s{0,8}\.?\s{0,8}([A-Z][A-Z0-9_]*)\s{0,8}-?\s{0,8}\}\s{0,8}\}/g;

/** Replaces `${NAME}` and `{{.NAME}}` by values that are words; others stay, and their statements are reported. */
export function fillTemplates(text: string, variables: Variables): string {
  return text.replace(PLACEHOLDER, (placeholder, shell: string | undefined, go: string | undefined) => {
    const value = variables.get(shell ?? go ?? '');
    return value !== undefined && /^[\w.-]{1,200}$/.test(value) ? value : placeholder;
  });
}

/** A placeholder that was not replaced. */
export interface Unfilled {
  readonly placeholder: string;
  /** The name of its variable. */
  readonly name: string;
  readonly start: number;
  /** It is a part of a string, which is valid as it is written. */
  readonly isString: boolean;
}

/** The placeholders outside of comments that were not replaced, as written. */
export function unfilled(sql: string): readonly Unfilled[] {
  return placeholders(sql, PLACEHOLDER);
}

/** Those of a form of a statement, in which there may be spaces between the tokens. */
export function unfilledInForm(sql: string): readonly Unfilled[] {
  return placeholders(sql, SPACED);
}

function placeholders(sql: string, pattern: RegExp): readonly Unfilled[] {
  const found = [...sql.matchAll(pattern)];
  if (found.length === 0) return [];
  const kindAt = tokenKinds(sql);
  return found.flatMap(({ 0: placeholder, 1: shell, 2: go, index: start }) => {
    const kind = kindAt(start);
    const isString = kind === 'string' || kind === 'heredoc';
    return kind === 'comment' ? [] : [{ placeholder, name: shell ?? go ?? '', start, isString }];
  });
}
