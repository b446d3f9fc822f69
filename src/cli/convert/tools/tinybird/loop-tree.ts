// The loops of a template, and what is inside of them.
import { readExpression, type TemplateExpression } from '../../placeholders/expression.ts';

export type LoopNode =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'output';
      readonly text: string;
      readonly expression: TemplateExpression | undefined;
    }
  | { readonly kind: 'set'; readonly name: string; readonly value: TemplateExpression | undefined }
  | { readonly kind: 'if'; readonly arms: readonly LoopArm[] }
  | ({ readonly kind: 'for' } & TemplateLoop);

export interface LoopArm {
  /** Undefined for `{% else %}`. */
  readonly when: string | undefined;
  readonly body: readonly LoopNode[];
}

export interface TemplateLoop {
  readonly start: number;
  readonly end: number;
  /** `x`, or `i, x`. */
  readonly names: readonly string[];
  readonly list: TemplateExpression | undefined;
  readonly body: readonly LoopNode[];
}

const MARK =
  /\{\{(?<output>(?:[^{}'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*)\}\}|\{%-?\s*(?<word>\w+)\b(?<rest>(?:[^%'"]|%(?!\})|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*?)-?%\}|\{#.*?#\}/gs;
const FOR = /^\s*(?<names>\w+(?:\s*,\s*\w+)?)\s+in\s+(?<list>.+?)\s*$/s;
const SET = /^\s*(?<name>\w+)\s*=(?<value>[^=].*)$/s;
/** Most levels of tags in one another. */
const MAX_DEPTH = 12;

interface OpenTag {
  readonly start: number;
  readonly kind: 'if' | 'for' | 'other';
  readonly rest: string;
  readonly arms: { readonly when: string | undefined; readonly body: LoopNode[] }[];
}

/** The loops that are in no other loop, in order; none if the tags do not match. Linear in the length of the text. */
export function readLoops(text: string): readonly TemplateLoop[] {
  const loops: TemplateLoop[] = [];
  const open: OpenTag[] = [];
  let at = 0;
  const add = (node: LoopNode): void => void open.at(-1)?.arms.at(-1)?.body.push(node);
  for (const match of text.matchAll(MARK)) {
    if (match.index > at) add({ kind: 'text', text: text.slice(at, match.index) });
    at = match.index + match[0].length;
    const { output, word, rest = '' } = match.groups ?? {};
    if (output !== undefined) add({ kind: 'output', text: match[0], expression: readExpression(output) });
    else if (word === 'if' || word === 'for')
      open.push({ start: match.index, kind: word, rest, arms: [{ when: rest, body: [] }] });
    else if (word === 'elif' || word === 'else')
      open.at(-1)?.arms.push({ when: word === 'elif' ? rest : undefined, body: [] });
    else if (word === 'set') add(settingOf(rest));
    else if (word?.startsWith('end') === true) {
      const tag = open.pop();
      const node = tag && nodeOf(tag, at);
      if (node === undefined || open.length > MAX_DEPTH) return [];
      if (node.kind === 'for' && !open.some(({ kind }) => kind === 'for')) loops.push(node);
      add(node);
    }
  }
  return open.length === 0 ? loops : [];
}

function settingOf(rest: string): LoopNode {
  const { name = '', value = '' } = SET.exec(rest)?.groups ?? {};
  return { kind: 'set', name, value: readExpression(value) };
}

function nodeOf({ kind, start, rest, arms }: OpenTag, end: number): LoopNode {
  if (kind === 'if') return { kind, arms };
  const { names = '', list = '' } = FOR.exec(rest)?.groups ?? {};
  return {
    kind: 'for',
    start,
    end,
    names: names.split(/\s*,\s*/),
    list: readExpression(list),
    body: arms.flatMap(({ body }) => body),
  };
}
