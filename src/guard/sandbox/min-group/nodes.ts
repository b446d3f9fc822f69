// Nodes of the engine's tree in a SELECT over a table, read strictly: a node in any other form is not read.
import type { TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import { isNativeNumber } from '../../../sql/types/traits.ts';
import { parseType, typeArguments } from '../../../sql/types/type.ts';

/** A constant: the text of a string literal, a whole number of it, or neither. */
export interface Constant {
  readonly kind: 'text' | 'number' | 'null' | 'texts' | 'numbers';
  readonly text: string | undefined;
  readonly whole: number | undefined;
}

const ALIAS = String.raw`(?:, alias: (?<alias>[^,:]+))?`;
const IDENTIFIER = new RegExp(`^${ALIAS}, identifier: (?<name>[^,:]+(?:\\.:\`\\w+\`)?)$`);
const FUNCTION = new RegExp(`^${ALIAS}, function_name: (?<name>\\w+), function_type: ordinary$`);
const CONSTANT = new RegExp(
  `^${ALIAS}, constant_value: (?<value>.*), constant_value_type: (?<type>.*)$`,
  's',
);

/** The name that the query gives to a node. */
export function aliasOf({ kind, attributes }: TreeLine): string | undefined {
  const form = kind === 'IDENTIFIER' ? IDENTIFIER : kind === 'FUNCTION' ? FUNCTION : CONSTANT;
  return form.exec(attributes)?.groups?.['alias'];
}

/** The name of a column or alias; undefined for other nodes, and for forms that are not known. */
export function identifierOf({ kind, attributes, children }: TreeLine): string | undefined {
  if (kind !== 'IDENTIFIER' || children.length > 0) return undefined;
  return IDENTIFIER.exec(attributes)?.groups?.['name']?.replaceAll('`', '');
}

/** The name and arguments of a call without parameters, window or modifiers; undefined for anything else. */
export function callOf({
  kind,
  attributes,
  children,
}: TreeLine): { name: string; list: readonly TreeLine[] } | undefined {
  const name = kind === 'FUNCTION' ? FUNCTION.exec(attributes)?.groups?.['name'] : undefined;
  const [part, ...others] = children;
  if (name === undefined || others.length > 0) return undefined;
  if (part === undefined) return { name, list: [] };
  const [list, ...more] = part.children;
  if (part.kind !== 'ARGUMENTS' || list?.kind !== 'LIST' || more.length > 0) return undefined;
  return { name, list: list.children };
}

/** The name of any call, for messages. */
export function nameOf({ attributes }: TreeLine): string | undefined {
  return /, function_name: (\w+), /.exec(attributes)?.[1];
}

/** A string, a number, NULL, or a list of strings or numbers; undefined for other nodes. */
export function constantOf({ kind, attributes, children }: TreeLine): Constant | undefined {
  const groups = kind === 'CONSTANT' && children.length === 0 ? CONSTANT.exec(attributes)?.groups : undefined;
  const { value = '', type: printed = '' } = groups ?? {};
  if (groups === undefined) return undefined;
  const type = parseType(printed);
  if (type.name === 'String') return { kind: 'text', text: textOf(value), whole: undefined };
  if (isNativeNumber(type)) {
    const [, digits] = /^UInt64_(\d{1,9})$/.exec(value) ?? [];
    return { kind: 'number', text: undefined, whole: digits === undefined ? undefined : Number(digits) };
  }
  const none = { text: undefined, whole: undefined };
  if (printed === 'Nullable(Nothing)') return { kind: 'null', ...none };
  const elements = type.name === 'Tuple' || type.name === 'Array' ? typeArguments(type) : [];
  if (elements.length === 0 || elements.some(({ name }) => name !== undefined)) return undefined;
  if (elements.every((each) => each.type.name === 'String')) return { kind: 'texts', ...none };
  const isNumbers = elements.every((each) => isNativeNumber(each.type) && each.type.name !== 'Bool');
  return isNumbers ? { kind: 'numbers', ...none } : undefined;
}

/** The content of a printed string. */
function textOf(printed: string): string {
  return printed.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
}
