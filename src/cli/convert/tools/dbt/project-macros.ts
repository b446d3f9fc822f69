// The macros of a dbt project, and their calls.
import { type TemplateExpression, calledName, readExpression } from '../../placeholders/expression.ts';
import type { Lost } from '../../placeholders/nodes.ts';
import { literalOf } from '../../placeholders/source-lexer.ts';
import type { TemplateDialect, Declaration } from '../../placeholders/template.ts';
import type { ExportFile } from '../../export/document.ts';
import { composed, type Unrolled } from '../../placeholders/unroll.ts';

const MACRO =
  /\{%-?\s*macro\s+(?<name>\w+)\s*\((?<parameters>[^%]*?)\)\s*-?%\}(?<body>.*?)\{%-?\s*endmacro\s*-?%\}/gs;
const DISPATCH = /^\s*\{\{-?\s*return\s*\(\s*adapter\.dispatch\s*\(\s*['"](\w+)['"][^)]*\)\s*\(/;
const RETURN = /\{\{-?\s*return\s*\((.*)\)\s*-?\}\}/s;
/** Only a run of dbt can answer these; tags among them write nothing at their place. */
const NEEDS_RUN =
  /\{%-?\s*(?:do|call|macro|filter|raw|with)\b|\{%-?\s*set\s+\w+\s*-?%\}|\b(?:run_query|load_result|statement|adapter|caller|varargs|kwargs|return|exceptions|modules|graph)\b/;

/** Names of dbt's own macros that a project replaces: dbt calls them, and no model. */
const HOOK = /^generate_(?:schema|database|alias)_name$/;

/** `macro:name` with its source, of each macro that can be written out; the one for the engine, if there are several. */
export function projectMacros(files: readonly ExportFile[], engine = ''): readonly Declaration[] {
  const found = new Map(
    files
      .filter(({ path }) => /(^|\/)macros\/.*\.sql$/i.test(path))
      .flatMap(({ text }) => [...text.matchAll(MACRO)])
      .map((match) => [match.groups?.['name'] ?? '', match] as const),
  );
  return [...found].flatMap(([name, macro]): Declaration[] => {
    const dispatched = DISPATCH.exec(macro.groups?.['body'] ?? '')?.[1];
    const chosen =
      dispatched === undefined
        ? macro
        : (found.get(`${engine}__${dispatched}`) ?? found.get(`default__${dispatched}`));
    if (chosen === undefined || HOOK.test(name)) return [];
    const body = (chosen.groups?.['body'] ?? '').replace(RETURN, '{{ $1 }}');
    if (NEEDS_RUN.test(body)) return [];
    return [{ name: `macro:${name}`, text: `(${chosen.groups?.['parameters'] ?? ''})${body}` }];
  });
}

const CALL = /\{#.*?#\}|\{\{-?(?<call>(?:[^{}'"]|'[^']*'|"[^"]*")*?)-?\}\}/gs;
const MAX_DEPTH = 10;
const MAX_LENGTH = 200_000;

/** The text with the bodies of its macros in place of their calls; undefined if it has none. */
export function expandMacros(text: string, declarations: readonly Declaration[]): Unrolled | undefined {
  const macros = new Map(
    declarations.flatMap(({ name, text: source }) =>
      name.startsWith('macro:') && source !== undefined
        ? [[name.slice('macro:'.length), source] as const]
        : [],
    ),
  );
  let current: Unrolled | undefined;
  for (let depth = 0; depth < MAX_DEPTH && macros.size > 0; depth++) {
    const next = expandOnce(current ?? { text, sourceOffset: (offset) => offset }, macros, depth);
    if (next === undefined || next.text.length > MAX_LENGTH) break;
    current = next;
  }
  return current;
}

function expandOnce(
  { text, sourceOffset }: Unrolled,
  macros: ReadonlyMap<string, string>,
  depth: number,
): Unrolled | undefined {
  const pieces: { text: string; at: number; isCopied: boolean }[] = [];
  let at = 0;
  for (const match of text.matchAll(CALL)) {
    const written = bodyOf(match.groups?.['call'] ?? '', macros, `${depth}_${pieces.length}`);
    if (written === undefined) continue;
    pieces.push(
      { text: text.slice(at, match.index), at, isCopied: true },
      { text: written, at: match.index, isCopied: false },
    );
    at = match.index + match[0].length;
  }
  if (pieces.length === 0) return undefined;
  return composed([...pieces, { text: text.slice(at), at, isCopied: true }], sourceOffset);
}

/** The body, after its arguments as variables of their own names. */
function bodyOf(source: string, macros: ReadonlyMap<string, string>, suffix: string): string | undefined {
  const call = readExpression(source);
  const name = call && calledName(call)?.split('.').at(-1);
  const macro = name === undefined ? undefined : macros.get(name);
  if (call?.kind !== 'call' || macro === undefined) return undefined;
  const end = endOfParameters(macro);
  const parameters = parametersOf(macro.slice(1, end));
  const body = macro.slice(end + 1);
  if (call.args.length > parameters.length) return undefined;
  const values = parameters.map(({ name: parameter, fallback }, index) => {
    const given = call.args[index] ?? call.named.get(parameter);
    return [parameter, given === undefined ? fallback : sourceOf(given)] as const;
  });
  if (values.some(([, value]) => value === undefined)) return undefined;
  const own = new Set([...parameters.map((each) => each.name), ...localNames(body)]);
  const set = values.map(([parameter, value]) => `{% set ${parameter}__${suffix} = ${value} %}`);
  return set.join('') + renamed(body, own, suffix);
}

/** The source starts with an opening parenthesis; defaults can have some of their own. */
function endOfParameters(source: string): number {
  let depth = 0;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '(') depth++;
    if (source[at] === ')' && --depth === 0) return at;
  }
  return source.length;
}

interface MacroParameter {
  readonly name: string;
  readonly fallback: string | undefined;
}

function parametersOf(source: string): readonly MacroParameter[] {
  const call = readExpression(`macro(${source.trim()})`);
  if (call?.kind !== 'call') return [];
  const names = call.args.flatMap((each) => (each.kind === 'name' ? [each.name] : []));
  return [
    ...names.map((name) => ({ name, fallback: undefined })),
    ...[...call.named].map(([name, value]) => ({ name, fallback: sourceOf(value) })),
  ];
}

function localNames(body: string): readonly string[] {
  return [...body.matchAll(/\{%-?\s*(?:set|for)\s+(\w+)/g)].flatMap(([, name]) => name ?? []);
}

/** Gives its variables other names, so that those of the model stay. */
function renamed(body: string, own: ReadonlySet<string>, suffix: string): string {
  return body.replace(/\{\{.*?\}\}|\{%.*?%\}/gs, (tag) => {
    const isSet = /^\{%-?\s*set\b/.test(tag);
    return tag.replace(
      /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\.?\b[A-Za-z_]\w*\b(?<named>\s*=(?!=))?/g,
      (token: string, named: string | undefined) => {
        const name = named === undefined ? token : token.slice(0, -named.length);
        if (!own.has(name) || (named !== undefined && !isSet)) return token;
        return `${name}__${suffix}${named ?? ''}`;
      },
    );
  });
}

/** An expression as a template writes it; undefined for those that are rarely arguments. */
function sourceOf(expression: TemplateExpression): string | undefined {
  switch (expression.kind) {
    case 'name':
      return expression.name;
    case 'literal':
      return expression.value === null ? 'none' : JSON.stringify(expression.value);
    case 'list':
      return listed(expression.items, '[', ']');
    case 'attribute': {
      const of = sourceOf(expression.of);
      return of && `${of}.${expression.name}`;
    }
    case 'call': {
      const [of, args] = [sourceOf(expression.of), listed(expression.args, '(', ')')];
      return expression.named.size === 0 && of !== undefined && args !== undefined ? of + args : undefined;
    }
    case 'binary': {
      const [left, right] = [sourceOf(expression.left), sourceOf(expression.right)];
      return left && right && `(${left} ${expression.operator} ${right})`;
    }
    case 'dict':
    case 'element':
    case 'filter':
    case 'test':
    case 'not':
      return undefined;
  }
}

function listed(items: readonly TemplateExpression[], open: string, close: string): string | undefined {
  const sources = items.map(sourceOf);
  return sources.includes(undefined) ? undefined : `${open}${sources.join(', ')}${close}`;
}

type TemplateCall = Extract<TemplateExpression, { kind: 'call' }>;
type MacroArgument = TemplateExpression | undefined;

/** The text that an expression inserts; undefined if it is not known. */
type TextOf = (expression: TemplateExpression) => string | undefined;

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
