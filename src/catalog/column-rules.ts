// Which of an endpoint's rules for personal data apply to a result column, or to parts of it.
import type { ColumnAction } from '../redact/columns.ts';

/** `pii` of an endpoint file, or the compiled policy. */
type Pii = { readonly columns?: Readonly<Record<string, ColumnAction>> } | undefined;

/** The action for a column, or for a path in it, as a whole; undefined if none applies. Names are not case-sensitive. */
export function ruleFor(pii: Pii, name: string): ColumnAction | undefined {
  const folded = name.toLowerCase();
  const rules = Object.entries(pii?.columns ?? {}).map(
    ([path, action]) => [path.toLowerCase(), action] as const,
  );
  return rules.find(([path]) => path === folded || folded.startsWith(`${path}.`))?.[1];
}

/** The paths of the rules for parts of a column, without its name. */
export function partRules(pii: Pii, name: string): readonly string[] {
  const start = `${name.toLowerCase()}.`;
  const paths = Object.keys(pii?.columns ?? {});
  return paths.filter((path) => path.toLowerCase().startsWith(start)).map((path) => path.slice(start.length));
}
