// A call of a macro whose arguments the model itself contains: texts of SQL, lists of them, and other calls.
import type { TemplateExpression } from '../../placeholders/expression.ts';
import type { Lost } from '../../placeholders/nodes.ts';
import { literalOf } from '../../placeholders/source-lexer.ts';
import type { TemplateDialect } from '../../placeholders/template.ts';

type TemplateCall = Extract<TemplateExpression, { kind: 'call' }>;
type MacroArgument = TemplateExpression | undefined;

/** The text that an expression inserts; undefined if it is not known. */
export type TextOf = (expression: TemplateExpression) => string | undefined;

export interface MacroCall {
  readonly dialect: TemplateDialect;
  /** The argument at a place, or of a name, as SQL. One that is not known is empty, and the macro is not written. */
  readonly text: (index: number, name: string, fallback?: string) => string;
  readonly list: (index: number, name: string, fallback?: readonly string[]) => readonly string[];
  readonly flag: (index: number, name: string, fallback: boolean) => boolean;
  readonly has: (index: number, name: string) => boolean;
}

/** The SQL of a call; undefined if the dialect has none. */
export type WriteMacro = (call: MacroCall) => string | undefined;

/** Returns what the macro writes; the reason, if the model does not contain its arguments; undefined if nothing is known. */
export function writeCall(
  write: WriteMacro,
  call: TemplateCall,
  { textOf, dialect }: { readonly textOf: TextOf; readonly dialect: TemplateDialect },
): string | Lost | undefined {
  const argument = (index: number, name: string): MacroArgument => {
    const found = call.args[index] ?? call.named.get(name);
    return found?.kind === 'literal' && found.value === null ? undefined : found;
  };
  let isUnknown = false;
  const known = <Known>(value: Known | undefined, otherwise: Known): Known => {
    isUnknown ||= value === undefined;
    return value ?? otherwise;
  };
  const written = write({
    dialect,
    text: (index, name, fallback) => {
      const found = argument(index, name);
      return known(found === undefined ? fallback : textOf(found), '');
    },
    list: (index, name, fallback) => {
      const found = argument(index, name);
      if (found === undefined) return known(fallback, []);
      const items = known(found.kind === 'list' ? found.items : undefined, []);
      return items.map((item) => known(textOf(item), ''));
    },
    flag: (index, name, fallback) => {
      const found = argument(index, name);
      if (found === undefined) return fallback;
      return known(found.kind === 'literal' ? Boolean(found.value) : undefined, fallback);
    },
    has: (index, name) => argument(index, name) !== undefined,
  });
  return isUnknown
    ? { message: 'An argument of the macro is not known before dbt runs', hint: COMPILE }
    : written;
}

export const COMPILE = 'Run dbt compile, and import the folder with its target/compiled';

/** A name in the quotes of the dialect, as `adapter.quote` writes it. */
export function quotedName(name: string, dialect: TemplateDialect): string {
  const quote = dialect === 'bigquery' || dialect === 'mysql' || dialect === 'mariadb' ? '`' : '"';
  return quote + name.replaceAll(quote, quote + quote) + quote;
}

/** A string as `dbt.string_literal` writes it, escaped. */
export function quotedText(text: string, dialect: TemplateDialect): string {
  return literalOf(text, dialect);
}
