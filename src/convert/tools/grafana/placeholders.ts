// Grafana's variables and macros: $var, ${var:csv}, [[var]], $__timeFilter(col). What macros mean is in grafana-macros.ts.
import { isRawIn } from '../../placeholders/jinja.ts';
import { valueOf, type Item, type Syntax, type Value } from '../../placeholders/nodes.ts';
import type { RegionKind } from '../../placeholders/source-lexer.ts';
import type { Declaration, TemplateDialect } from '../../placeholders/template.ts';
import { altinityMacro } from './altinity.ts';
import { grafanaMacro, timeValue, type MacroCall } from './macros.ts';

const MARK = /\$__?\w+|\$\{[\w.]+(?::[\w:\-/. ]*)?\}|\[\[\w+(?::\w+)?\]\]|\$[A-Za-z]\w*/y;
/** Functions of the Altinity plugin, `$columns(…)`; other variables are never called. */
const CALLED =
  /^\$(columns|rate|rateColumns|perSecond|perSecondColumns|delta|increase|conditionalTest|unescape|rateColumnsAggregated)$/;
const MAX_ARGUMENTS = 4_000;

export function grafanaSyntax(
  text: string,
  dialect: TemplateDialect,
  declarations: readonly Declaration[],
): Syntax {
  const byName = new Map(declarations.map((each) => [each.name, each]));
  const isKnown = (name: string): boolean =>
    byName.size === 0 ||
    byName.has(name) ||
    name.startsWith('__') ||
    altinityMacro({ name, byName }) !== undefined;
  return {
    markEnd: (source, at) => {
      const char = source[at];
      if (char !== '$' && char !== '[') return undefined;
      if (char === '$' && /[\w$]/.test(source.charAt(at - 1))) return undefined;
      MARK.lastIndex = at;
      const mark = MARK.exec(source)?.[0];
      if (mark === undefined || mark === '$__all' || !isKnown(nameOf(mark))) return undefined;
      const end = at + mark.length;
      const isCalled = mark.startsWith('$__') || CALLED.test(mark);
      return isCalled && source[end] === '(' ? (closing(source, end) ?? end) : end;
    },
    interpret: ({ start, end }, inside) => {
      const [mark] = /^(?:\$\{[^}]*\}|\[\[[^\]]*\]\]|\$\w+)/.exec(text.slice(start, end)) ?? [''];
      const call = callOf(text, { start: start + mark.length, end });
      return interpret(mark, {
        call: {
          ...call,
          name: nameOf(mark),
          dialect,
          isSetting: /\bsettings\s*$/i.test(text.slice(Math.max(0, start - 20), start)),
        },
        byName,
        inside,
      });
    },
  };
}

function nameOf(mark: string): string {
  return /\w[\w]*/.exec(mark)?.[0] ?? '';
}

/** The index after the parenthesis that closes the one at `open`. */
function closing(text: string, open: number): number | undefined {
  let depth = 0;
  let quote: string | undefined;
  for (let at = open; at < Math.min(text.length, open + MAX_ARGUMENTS); at++) {
    const char = text[at];
    if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === "'" || char === '"' || char === '`') quote = char;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}

function callOf(text: string, { start, end }: { start: number; end: number }): Pick<MacroCall, 'args'> {
  const args: { start: number; end: number; text: string }[] = [];
  let depth = 0;
  let quote: string | undefined;
  let from = start + 1;
  const add = (to: number): void => {
    const source = text.slice(from, to);
    const trimmed = source.trim();
    const at = from + source.indexOf(trimmed);
    if (trimmed !== '') args.push({ start: at, end: at + trimmed.length, text: trimmed });
    from = to + 1;
  };
  for (let at = start; at < end; at++) {
    const char = text[at];
    if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === "'" || char === '"' || char === '`') quote = char;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) add(at);
    else if (char === ',' && depth === 1) add(at);
  }
  return { args };
}

interface Context {
  readonly call: MacroCall;
  readonly byName: ReadonlyMap<string, Declaration>;
  readonly inside: RegionKind;
}

function interpret(mark: string, { call, byName, inside }: Context): Item {
  const { name } = call;
  const format = /:([^}\]]*)/.exec(mark)?.[1] ?? '';
  const range = /^__(from|to)$/.exec(name)?.[1];
  if (range !== undefined) return timeRange(range === 'from', format);
  const macro = grafanaMacro(call, byName) ?? altinityMacro({ name, byName, args: call.args });
  if (macro !== undefined) return macro;
  if (name.startsWith('__'))
    return { kind: 'lost', message: `The macro ${mark} is not supported`, hint: 'Write what it produces' };
  return variable({ declaration: byName.get(name) ?? { name }, format, inside });
}

/** `$__from` is in milliseconds; `${__from:date:…}` in other forms. */
function timeRange(isFrom: boolean, format: string): Item {
  const value = { kind: 'value', value: timeValue(isFrom) } as const;
  if (format === '')
    return { kind: 'sql', parts: [{ kind: 'function', name: 'toUnixTimestamp64Milli' }, '(', value, ')'] };
  if (format === 'date:seconds')
    return { kind: 'sql', parts: [{ kind: 'function', name: 'toUnixTimestamp' }, '(', value, ')'] };
  if (format === 'date:YYYY-MM-DD')
    return { kind: 'sql', parts: [{ kind: 'function', name: 'toDate' }, '(', value, ')'] };
  if (format === 'date' || format === 'date:iso' || /^date:YYYY-MM-DD[T ]HH:mm(:ss)?/.test(format))
    return { kind: 'sql', parts: [value] };
  return { kind: 'lost', message: `The format ${format} of a time is not supported` };
}

function variable({
  declaration,
  format,
  inside,
}: {
  readonly declaration: Declaration;
  readonly format: string;
  readonly inside: RegionKind;
}): Item {
  if (declaration.reason !== undefined) return { kind: 'lost', message: declaration.reason };
  if (declaration.text !== undefined) return { kind: 'inserted', text: declaration.text };
  const value = valueOf(declaration);
  if (format === 'singlequote' || format === 'sqlstring' || format === 'doublequote')
    return { kind: 'value', value };
  const isPattern = format === 'pipe' || format === 'regex';
  if (isPattern && value.isList === true)
    return { kind: 'lost', message: `The format ${format} of a list is not supported`, hint: 'Write IN' };
  const raw: Value = value.isList === true ? value : { ...value, ...isRawIn(inside) };
  return { kind: 'value', value: raw };
}
