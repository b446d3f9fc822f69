// The consumer queries that try to learn something about redacted values, one a line, by category.
// Marks before a query: `=` for one that is answered alike without redaction as well, `!` for one that fails with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretOf, type SecretKind } from './secrets.ts';

/** A consumer query, and what it does with the values. */
export interface Text {
  readonly category: string;
  /** Tells the versions apart if nothing is redacted. The others fail, or name no value, in both. */
  readonly tells: boolean;
  /** Fails over redacted values: a column is dropped, or a conversion fails. */
  readonly fails: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

const GUESSES: ReadonlyMap<string, string> = new Map([
  ...(['email', 'ip', 'phone', 'card', 'iban', 'key', 'person', 'token'] as const satisfies readonly SecretKind[]).map(
    (kind) => [kind, secretOf('a', kind, 0)] as const,
  ),
  ['role', secretOf('a', 'email', 100)],
  ['account', 'account-aa0'],
]); // prettier-ignore

const FILES: readonly (readonly [file: string, fields: (text: string) => Text['fields']])[] = [
  ['clickhouse.txt', (sql) => ({ sql, dialect: 'clickhouse' })],
  ['bigquery.txt', (sql) => ({ sql, dialect: 'bigquery' })],
  ['lql.txt', (lql) => ({ lql })],
];

/** All texts; `{email}` and the like are replaced by values of the first version: guesses that are right there alone. */
export const TEXTS: readonly Text[] = FILES.flatMap(([file, fieldsOf]) => {
  let category = '';
  return readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .flatMap((line): Text[] => {
      if (line.startsWith('# ')) category = line.slice(2);
      if (line === '' || line.startsWith('# ')) return [];
      const [, mark = '', text = ''] = /^([=!]*) ?(.*)$/.exec(line) ?? [];
      return [
        {
          category,
          tells: !mark.includes('='),
          fails: mark.includes('!'),
          fields: fieldsOf(withGuesses(text)),
        },
      ];
    });
});

/** Replaces `{kind}` by a value of the first version. */
export function withGuesses(text: string): string {
  return text.replaceAll(/\{([a-z]+\d?)\}/g, (_, name: string) => GUESSES.get(name) ?? `{${name}}`);
}

/** The text of a query. */
export function shown({ fields }: Pick<Text, 'fields'>): string {
  return fields['sql'] ?? fields['lql'] ?? '';
}
