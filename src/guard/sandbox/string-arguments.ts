// Strings that the engine interprets: names of types, of aggregate functions and of subcolumns. Each must be a single literal
// with an allowed value. `test/guard/sandbox/string-arguments.corpus.test.ts` checks against the engine which arguments these are.
import { didYouMean } from '../../sql/base/nearest.ts';
import { stringValue } from '../../sql/clickhouse/literal.ts';
import { parseSavedText } from '../../sql/clickhouse/tree/parse.ts';
import { sourceOf, textOf } from '../../sql/clickhouse/tree/visit.ts';
import type { Violation } from './lexed-query.ts';
import type { FunctionPolicy } from './functions/policy.ts';
import { typeFault } from './type-name.ts';

/** An argument that names something. Names of subcolumns may also be numbers. */
export interface StringArgument {
  readonly names: 'type' | 'function' | 'subcolumn';
  readonly index: number | 'last';
}

const TYPE_SECOND: StringArgument = { names: 'type', index: 1 };
const TYPE_LAST: StringArgument = { names: 'type', index: 'last' };
const FUNCTION_FIRST: StringArgument = { names: 'function', index: 0 };

/** By the function's name in lower case. */
const STRING_ARGUMENTS: ReadonlyMap<string, StringArgument> = new Map([
  ['cast', TYPE_SECOND],
  ['_cast', TYPE_SECOND],
  ['accuratecast', TYPE_SECOND],
  ['accuratecastornull', TYPE_SECOND],
  ['accuratecastordefault', TYPE_SECOND],
  ['reinterpret', TYPE_SECOND],
  ['dynamicelement', TYPE_SECOND],
  ['variantelement', TYPE_SECOND],
  ['defaultvalueoftypename', { names: 'type', index: 0 }],
  ['jsonextract', TYPE_LAST],
  ['jsonextractcaseinsensitive', TYPE_LAST],
  ['jsonextractkeysandvalues', TYPE_LAST],
  ['jsonextractkeysandvaluescaseinsensitive', TYPE_LAST],
  ['arrayreduce', FUNCTION_FIRST],
  ['arrayreduceinranges', FUNCTION_FIRST],
  ['initializeaggregation', FUNCTION_FIRST],
  ['tupleelement', { names: 'subcolumn', index: 1 }],
  ['getsubcolumn', { names: 'subcolumn', index: 1 }],
]);

/** The argument of a function that names something; undefined for most functions. */
export function stringArgument(functionName: string): StringArgument | undefined {
  return STRING_ARGUMENTS.get(functionName.toLowerCase());
}

/** Index of that argument among `count`; undefined if the call does not have it, in which case the engine rejects the call. */
export function argumentIndex({ index }: StringArgument, count: number): number | undefined {
  const at = index === 'last' ? count - 1 : index;
  return at >= 0 && at < count ? at : undefined;
}

/** What is wrong with the argument, given as the source of a literal, or undefined if it is not a literal. */
export function argumentViolation(
  { names }: StringArgument,
  call: { readonly name: string; readonly literal: string | undefined; readonly functions: FunctionPolicy },
): Violation | undefined {
  const { name, literal = '', functions } = call;
  if (names === 'subcolumn' && /^\d+$/.test(literal)) return undefined;
  const value = stringValue(literal);
  if (value === undefined) return notLiteral(names, name);
  if (names === 'function') return functionViolation(value, functions);
  const fault = names === 'type' ? typeFault(value) : subcolumnFault(value);
  return fault === undefined ? undefined : { code: 'sandbox.type_denied', message: `${name}: ${fault}` };
}

const KINDS = {
  type: ['sandbox.type_denied', "a type such as 'UInt64'"],
  function: ['sandbox.function_denied', "an aggregate function such as 'sum'"],
  subcolumn: ['sandbox.type_denied', 'an element, as a string or a number'],
} as const;

function notLiteral(names: StringArgument['names'], name: string): Violation {
  const [code, what] = KINDS[names];
  return { code, message: `${name} requires ${what} here, as a single literal and not as an expression` };
}

/** `sum`, `quantiles(0.5, 0.9)`: the name of an allowed function, with literals as parameters. */
function functionViolation(value: string, functions: FunctionPolicy): Violation | undefined {
  const [, name, parameters] = /^(\w{1,100})(?:\((.*)\))?$/s.exec(value) ?? [];
  if (name === undefined || (parameters !== undefined && !isListOfLiterals(parameters))) {
    return functionDenied(
      "Expected an aggregate function name in the string, as in 'sum' or 'quantiles(0.5, 0.9)'",
    );
  }
  if (functions.allowsAggregate(name)) return undefined;
  const hint = functions.denies(name) ? undefined : didYouMean(functions.nearest(name));
  return functionDenied(`${name} is not an allowed aggregate function`, hint);
}

function functionDenied(message: string, hint?: string): Violation {
  return { code: 'sandbox.function_denied', message, ...(hint && { hint }) };
}

/** Numbers and strings between commas, without comments. */
function isListOfLiterals(text: string): boolean {
  const tree = parseSavedText(`SELECT [${text}]`);
  const [list, ...clauses] = tree.root.parts;
  const [array, ...items] = list?.parts ?? [];
  if (tree.fault !== undefined || clauses.length > 0 || items.length > 0 || array?.kind !== 'array')
    return false;
  if (withoutSpaces(textOf(tree, array)) !== withoutSpaces(`[${text}]`)) return false;
  return array.parts.every(
    (part) =>
      part.kind === 'number' || (part.kind === 'string' && stringValue(sourceOf(tree, part)) !== undefined),
  );
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** Checks a path into a value; `.:` is followed by a type, and a Dynamic value accepts only a type. */
export function subcolumnFault(path: string): string | undefined {
  if (namesState(path)) return 'Aggregate functions are not allowed as types';
  const [, ...types] = path.split('.:');
  for (const written of types) {
    const type = /^`([^`]*)`/.exec(written)?.[1] ?? /^\w+/.exec(written)?.[0] ?? '';
    const fault = typeFault(type);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns whether a name or a string contains the type of an aggregate function state. */
export function namesState(text: string): boolean {
  return /AggregateFunction/i.test(text);
}
