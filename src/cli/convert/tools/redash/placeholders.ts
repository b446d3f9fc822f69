// Redash's parameters, in Mustache: {{ name }}, {{ range.start }}, {{#name}} … {{/name}}.
import { isRawIn } from '../../placeholders/jinja.ts';
import { valueOf, type Item, type Syntax, type Value } from '../../placeholders/nodes.ts';
import type { TemplateReading } from '../../placeholders/template-reader.ts';
import type { RegionKind } from '../../placeholders/source-lexer.ts';
import type { Declaration } from '../../placeholders/template.ts';

const MAX_MARK = 300;

export function redashSyntax(text: string, { declarations }: TemplateReading): Syntax {
  const byName = new Map(declarations.map((each) => [each.name, each]));
  return {
    markEnd: (source, at) => {
      if (!source.startsWith('{{', at)) return undefined;
      const isTriple = source.startsWith('{{{', at);
      const close = source.slice(at, at + MAX_MARK).indexOf(isTriple ? '}}}' : '}}');
      return close < 0 ? undefined : at + close + (isTriple ? 3 : 2);
    },
    interpret: ({ start, end }, inside) => interpret(text.slice(start, end), byName, inside),
  };
}

function interpret(source: string, byName: ReadonlyMap<string, Declaration>, inside: RegionKind): Item {
  const content = source.replace(/^\{{2,3}|\}{2,3}$/g, '').trim();
  const [, sign = '', written = ''] = /^([#^/&!>]?)\s*(.*)$/s.exec(content) ?? [];
  if (sign === '!') return { kind: 'dropped' };
  if (sign === '/') return { kind: 'close' };
  if (sign === '>' || (!byName.has(written) && /[()'"|]/.test(written)))
    return { kind: 'lost', message: `${source} is not supported`, hint: 'Write what it produces' };
  const value = namedValue(written, byName);
  if (sign === '#') return { kind: 'open', when: { kind: 'truthy', value } };
  if (sign === '^') return { kind: 'open', when: { kind: 'not', of: { kind: 'truthy', value } } };
  const isQuoted = value.type !== undefined && /^(U?Int|Float|Date)/.test(value.type);
  return { kind: 'value', value: isQuoted ? value : { ...value, ...isRawIn(inside) } };
}

function namedValue(written: string, byName: ReadonlyMap<string, Declaration>): Value {
  const own = byName.get(written);
  if (own !== undefined) return valueOf(own);
  const [, range = '', end = ''] = /^(.*)\.(start|end)$/s.exec(written) ?? [];
  const declared = byName.get(range);
  if (end === '') return { name: written };
  const {
    default: _,
    example: examples,
    ...rest
  } = declared === undefined ? { name: range, type: 'String' } : valueOf(declared);
  const description = rest.description === undefined ? {} : { description: `${rest.description}: ${end}` };
  const example = Array.isArray(examples) ? examples[end === 'start' ? 0 : 1] : undefined;
  return {
    ...rest,
    name: `${range}_${end}`,
    ...description,
    ...(example === undefined ? {} : { example }),
  };
}
