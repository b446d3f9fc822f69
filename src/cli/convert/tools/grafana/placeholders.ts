// Grafana's variables and macros: $var, ${var:csv}, [[var]], $__timeFilter(col). What macros mean is in grafana-macros.ts.
import { isRawIn } from '../../placeholders/jinja.ts';
import { valueOf, type Item, type Syntax } from '../../placeholders/nodes.ts';
import type { TemplateReading } from '../../placeholders/template-reader.ts';
import type { RegionKind } from '../../placeholders/source-lexer.ts';
import type { Declaration, TemplateDialect } from '../../placeholders/template.ts';
import { ALTINITY_CALLS, altinityMacro } from './altinity.ts';
import { argumentsOf, closing, conditionalMarks, grafanaMacro, timeValue, type MacroCall } from './macros.ts';

const MARK = /\$__?\w+|\$\{[\w.]+(?::[^{}]*)?\}|\[\[\w+(?::[\w:]+)?\]\]|\$[A-Za-z]\w*/y;
/** Dashboards ask by this if a variable is All. */
const ALL =
  /'(?:\$\{(?<a>\w+)(?::\w+)?\}|\$(?<b>\w+)|\[\[(?<c>\w+)\]\])'\s*(?<operator>=|!=|<>)\s*'\$__all'|'\$__all'\s*(?:in\s*\(|=\s*)(?:\$\{(?<d>\w+)(?::\w+)?\}|'?\$(?<e>\w+)'?)\)?/iy;

export function grafanaSyntax(text: string, { dialect, declarations }: TemplateReading): Syntax {
  const byName = new Map(declarations.map((each) => [each.name, each]));
  const conditional = conditionalMarks(text, byName);
  return {
    markEnd: (source, at, inside) => {
      const tag = source === text && inside === 'code' ? conditional.get(at) : undefined;
      if (tag !== undefined) return tag.end;
      const char = source[at];
      if (char === "'" && inside === 'code') return endOf(ALL, source, at);
      if (char !== '$' && char !== '[') return undefined;
      const isInName = /[\w$]/.test(source.charAt(at - 1)) && source[at + 1] !== '{';
      if (char === '$' && isInName) return undefined;
      const end = endOf(MARK, source, at);
      if (end === undefined) return undefined;
      const mark = source.slice(at, end);
      const isCalled = mark.startsWith('$__') || ALTINITY_CALLS.test(mark.slice(1));
      return isCalled && source[end] === '(' ? (closing(source, end) ?? end) : end;
    },
    interpret: ({ start, end }, inside) => {
      const tag = conditional.get(start);
      if (tag?.end === end) return tag.item;
      const whole = text.slice(start, end);
      if (whole.startsWith("'")) return isAll(whole, byName);
      const [mark] = /^(?:\$\{[^}]*\}|\[\[[^\]]*\]\]|\$\w+)/.exec(whole) ?? [''];
      const args = argumentsOf(text, { start: start + mark.length, end });
      return interpret(mark, {
        call: {
          args,
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

function endOf(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

/** `'$x' = '$__all'`: no value is sent. */
function isAll(written: string, byName: ReadonlyMap<string, Declaration>): Item {
  ALL.lastIndex = 0;
  const { a, b, c, d, e, operator } = ALL.exec(written)?.groups ?? {};
  const declaration = byName.get(a ?? b ?? c ?? d ?? e ?? '');
  if (declaration?.isAllAllowed !== true || declaration.reason !== undefined)
    return {
      kind: 'lost',
      message: `${written} is not supported: the variable has no All`,
      hint: 'Leave it out',
    };
  const use = { kind: 'value', value: { ...valueOf(declaration), required: false }, isAsked: true } as const;
  const name = operator === undefined || operator === '=' ? 'empty' : 'notEmpty';
  return { kind: 'sql', parts: [{ kind: 'function', name }, '(', use, ')'] };
}

function nameOf(mark: string): string {
  return /\w[\w]*/.exec(mark)?.[0] ?? '';
}

interface MacroContext {
  readonly call: MacroCall;
  readonly byName: ReadonlyMap<string, Declaration>;
  readonly inside: RegionKind;
}

function interpret(mark: string, { call, byName, inside }: MacroContext): Item {
  const { name } = call;
  const format = /:([^}\]]*)/.exec(mark)?.[1] ?? '';
  const range = /^__(from|to)$/.exec(name)?.[1];
  if (range !== undefined) return timeRange(range === 'from', format);
  const macro = grafanaMacro(call, byName) ?? altinityMacro({ name, byName, args: call.args });
  const declaration = byName.get(name);
  if (macro !== undefined && declaration === undefined) return macro;
  if (name.startsWith('__'))
    return { kind: 'lost', message: `The macro ${mark} is not supported`, hint: 'Write what it produces' };
  // Without a dashboard, all names can be variables.
  if (declaration === undefined && byName.size > 0)
    return {
      kind: 'lost',
      message: `${mark} is no variable of the dashboard, and no macro that is known`,
      hint: 'Write what it produces',
    };
  return variable(declaration ?? { name }, { format, inside, dialect: call.dialect });
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

/** Formats that insert the value as it is, if there is one. */
const PLAIN: ReadonlySet<string> = new Set(['', 'raw', 'csv', 'pipe', 'glob', 'singlequote', 'sqlstring']);

interface MacroPlace {
  readonly format: string;
  readonly inside: RegionKind;
  readonly dialect: TemplateDialect;
}

function variable(declaration: Declaration, { format, inside, dialect }: MacroPlace): Item {
  if (declaration.reason !== undefined) return { kind: 'lost', message: declaration.reason };
  if (declaration.text !== undefined) return { kind: 'inserted', text: declaration.text };
  const value = valueOf(declaration);
  const isString = format === 'doublequote' && ['mysql', 'mariadb', 'bigquery'].includes(dialect);
  const isPattern = value.isList === true && (format === 'pipe' || format === 'glob');
  if (
    (!PLAIN.has(format) && !isString) ||
    (isPattern && inside !== 'string') ||
    (format === 'glob' && isPattern)
  )
    return {
      kind: 'lost',
      message: `The format ${format} of a variable is not supported`,
      hint: 'Write IN, or the value',
    };
  if (value.isList !== true) {
    const isQuoted = format === 'singlequote' || format === 'sqlstring' || isString;
    return { kind: 'value', value: isQuoted ? value : { ...value, ...isRawIn(inside) } };
  }
  if (inside !== 'string') return { kind: 'value', value };
  // One value in quotes is the value; several are a text with separators.
  const parts = ['(', { kind: 'value', value }, `, '${format === 'pipe' ? '|' : ','}')`] as const;
  return { kind: 'sql', parts: [{ kind: 'function', name: 'arrayStringConcat' }, ...parts] };
}
