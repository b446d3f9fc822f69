// Placeholders of database drivers: `$1`, `?`, `:x`, `%(x)s`, `%s`, `@x`, `${x}`, and ClickHouse's `{x:Type}`.
import type { Item, Syntax, Value } from '../../placeholders/nodes.ts';
import type { TemplateReading } from '../../placeholders/template-reader.ts';
import type { TemplateDialect } from '../../placeholders/template.ts';
import { innerType, parseType, printType } from '../../../../sql/types/type.ts';

const MARK =
  /\$\{[A-Za-z_]\w*\}|\$\d{1,3}\b|(?<![\w:)\]'"]\s?):[A-Za-z_]\w*|%\([A-Za-z_]\w*\)[sdf]|%[sd](?!\w)|@[A-Za-z_]\w*|\{\s*[A-Za-z_]\w*\s*:[^{}]{1,200}\}|\?/y;

export function driverSyntax(text: string, { dialect }: TemplateReading): Syntax {
  const isFormat = /%\(\w+\)s|%s/.test(text); // Python's formatting, where %% is %
  const positions = createPositions(text);
  return {
    markEnd: (source, at, inside) => {
      if (isFormat && source.startsWith('%%', at)) return at + 2;
      return inside === 'code' ? codeMarkEnd(source, at, dialect) : undefined;
    },
    interpret: ({ start, end }, inside): Item => {
      const mark = text.slice(start, end);
      if (mark === '%%') return { kind: 'inserted', text: '%' };
      if (inside !== 'code') return { kind: 'dropped' };
      return item(mark, text.slice(Math.max(0, start - 200), start), positions);
    },
  };
}

const FIRST: ReadonlySet<string> = new Set(['$', ':', '%', '@', '{', '?']);

function codeMarkEnd(source: string, at: number, dialect: TemplateDialect): number | undefined {
  const char = source.charAt(at);
  if (!FIRST.has(char)) return undefined;
  MARK.lastIndex = at;
  const mark = MARK.exec(source)?.[0];
  if (mark === undefined) return undefined;
  const end = at + mark.length;
  const before = source.slice(Math.max(0, at - 40), at);
  if (char === '{' && dialect !== 'clickhouse') return undefined;
  if (char === '@' && (/[\w@]$/.test(before) || source.startsWith(':=', end))) return undefined;
  if (char === ':' && before.endsWith(':')) return undefined;
  const isPositional = char === '?' || mark === '%s' || mark === '%d';
  return isPositional && !(startsValue(before) && endsValue(source.slice(end, end + 20))) ? undefined : end;
}

/** `?` is also an operator of PostgreSQL, and % an operator. */
function startsValue(before: string): boolean {
  const trimmed = before.trimEnd();
  return /(^|[(,=<>+\-*/|[]|\b(and|or|not|in|like|ilike|between|limit|offset|where|having|select|interval|when|then|else|by|any|values|is))$/i.test(
    trimmed,
  );
}

function endsValue(after: string): boolean {
  return /^\s*($|[),;:+\-*/|<>=\]]|(and|or|order|group|limit|offset|having|union|then|else|end|as|fetch|rows|row|day|days|hour|minute|month|year|week|second)\b|--|\/\*)/i.test(
    after,
  );
}

function item(mark: string, before: string, positions: Positions): Item {
  const [, name, type] = /^\{\s*(\w+)\s*:\s*(.*?)\s*\}$/s.exec(mark) ?? [];
  if (name !== undefined && type !== undefined) return { kind: 'value', value: typedValue(name, type) };
  const isPlain = mark === '?' || /^%[sd]$/.test(mark);
  const number = isPlain ? undefined : /^\$(\d+)$/.exec(mark)?.[1];
  const own =
    isPlain || number !== undefined
      ? positions.nameOf(number, before)
      : (/[A-Za-z_]\w*/.exec(mark)?.[0] ?? 'value');
  const isList = /\bin\s*$/i.test(before) || /=\s*any\s*\(\s*$/i.test(before);
  const value: Value = { name: own, ...(isList ? { isList } : {}) };
  return /\bin\s*$/i.test(before)
    ? { kind: 'sql', parts: ['(', { kind: 'value', value }, ')'] }
    : { kind: 'value', value };
}

/** `{name:Nullable(Type)}` is optional. */
function typedValue(name: string, type: string): Value {
  const parsed = parseType(type);
  const inner = printType(innerType(parsed));
  if (parsed.name === 'Array') return { name, type: inner, isList: true };
  return parsed.name === 'Nullable' ? { name, type: inner, required: false } : { name, type };
}

interface Positions {
  /** The name of `$number`, or of the next placeholder without a number, from the column that it is compared with. */
  readonly nameOf: (number: string | undefined, before: string) => string;
}

const COMPARED = /(\w+)["`]?\s*(=\s*any|=|<>|!=|<=?|>=?|\b(?:not\s+)?(?:like|ilike|in))\s*\(?\s*$/i;

function createPositions(text: string): Positions {
  const written = new Set([...text.matchAll(/[:@({]\s*([A-Za-z_]\w*)/g)].map(([, name]) => name));
  const names = new Map<string, string>();
  let count = 0;
  return {
    nameOf: (number, before) => {
      const known = number === undefined ? undefined : names.get(number);
      if (known !== undefined) return known;
      const position = number ?? String(++count);
      const [, column, operator = ''] = COMPARED.exec(before) ?? [];
      const clause = /\b(limit|offset)\s*$/i.exec(before)?.[1]?.toLowerCase();
      const suffix = operator.startsWith('>') ? '_from' : /^<(?!>)/.test(operator) ? '_to' : '';
      const named = clause ?? (column === undefined ? undefined : `${column.toLowerCase()}${suffix}`);
      const taken = new Set(names.values());
      const name = named === undefined || taken.has(named) || written.has(named) ? `p${position}` : named;
      names.set(number ?? `?${position}`, name);
      return name;
    },
  };
}
