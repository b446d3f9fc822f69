// Calls: allowed names, arguments that name something, lambdas and states.
import { takesFunction } from '../../sql/higher-order.ts';
import { IN_FUNCTIONS } from '../../sql/tree/keywords.ts';
import type { Node } from '../../sql/tree/nodes.ts';
import { referenceViolation } from '../functions/higher-order.ts';
import { isNamedTuple, nodeReader } from '../named-tuple.ts';
import {
  argumentIndex,
  argumentViolation,
  stringArgument,
  type StringArgument,
} from '../string-arguments.ts';
import { checkFunction } from './names.ts';
import { countPattern, reject, visitValues, type Scan, type Scope } from './scan.ts';
import { acceptsStates, returnsStates } from './states.ts';
import { visitSet } from './sets.ts';

/** ANY, ALL, SOME or EXISTS, and a subquery. */
export function visitQuantified(scan: Scan, { from, parts }: Node, scope: Scope): void {
  const word = scan.cursor.word(from) ?? '';
  // The engine rewrites the others to IN.
  if (word !== 'EXISTS') scan.findings.states.barred.push({ at: from, form: `${word} with a subquery` });
  for (const part of parts) scan.visitor.query(scan, part, scope);
}

/** Functions whose constant pattern is compiled; `x REGEXP y` calls the first. */
const MATCHING: ReadonlySet<string> = new Set(
  `match extract extractall extractgroups extractallgroups extractallgroupshorizontal extractallgroupsvertical replaceregexpall
  replaceregexpone regexp_replace regexp_matches regexp_extract countmatches countmatchescaseinsensitive splitbyregexp`.split(
    /\s+/,
  ),
);

/** Calls in standard SQL syntax, whose arguments are not states. */
const STANDARD = /^(?:extract|substring|overlay|trim)$/i;

export function visitCall(scan: Scan, node: Node, scope: Scope): void {
  const { cursor, findings } = scan;
  const name = cursor.name(node.at) ?? '';
  if (IN_FUNCTIONS.has(name.toLowerCase())) {
    for (const part of node.parts) visitInArguments(scan, part, scope);
    return;
  }
  checkFunction(scan, node.at);
  if (MATCHING.has(name.toLowerCase())) countPattern(scan, node.at);
  checkForms(scan, node.at);
  if (takesFunction(name)) rejectReference(scan, node.at, name);
  const named = stringArgument(name);
  const [first, ...others] = node.parts;
  if (first !== undefined) visitValues(scan, first, scope);
  if (first !== undefined && named !== undefined) checkNamed(scan, first, { name, named });
  for (const part of others) {
    if (part.kind === 'arguments' && named !== undefined)
      reject(scan, part.from, {
        code: 'sandbox.syntax_unsupported',
        message: `${name} does not accept parameters`,
      });
    visitValues(scan, part, scope);
  }
  const takesStates = !STANDARD.test(name) && (acceptsStates(name) || name.toLowerCase() === 'count');
  const values = node.parts.findLast(({ kind }) => kind === 'arguments')?.parts ?? [];
  for (const { kind, from, to } of takesStates ? values : [])
    if (kind !== 'lambda') findings.states.permitted.push({ start: from, end: to });
  const isNamedState = named?.names === 'function' && returnsStates(cursor.text(node.at + 2));
  if (returnsStates(name) || isNamedState) findings.states.made.push({ start: node.from, end: node.to });
}

function visitInArguments(scan: Scan, { parts }: Node, scope: Scope): void {
  for (const [index, part] of parts.entries()) {
    if (index === 1) visitSet(scan, part, scope);
    else scan.visitor.value(scan, part, scope);
  }
}

/** A name alone, also in parentheses or with an alias, as the first of several arguments: the function of that name, if no value has it. */
function rejectReference(scan: Scan, at: number, name: string): void {
  const { cursor } = scan;
  let first = at + 2;
  while (cursor.kind(first) === '(') first++;
  const reference = cursor.name(first);
  if (reference === undefined) return;
  let end = first + 1;
  for (let open = first - at - 2; ;) {
    if (cursor.word(end) === 'AS') end += 2;
    else if (open > 0 && cursor.kind(end) === ')') [end, open] = [end + 1, open - 1];
    else if (open === 0 && cursor.kind(end) === ',') reject(scan, first, referenceViolation(name, reference));
    else return;
  }
}

interface NamedCall {
  readonly name: string;
  readonly named: StringArgument;
}

/** Checks the argument of a call that names a type, a function or a subcolumn. */
function checkNamed(scan: Scan, list: Node, call: NamedCall): void {
  if (scan.cursor.word(list.from - 1) === 'CAST') checkCast(scan, list);
  else if (list.isWhole) {
    if (list.parts.length === 0) checkNamedArgument(scan, { from: list.to, to: list.to }, call);
    const index = argumentIndex(call.named, list.parts.length);
    const argument = index === undefined ? undefined : list.parts[index];
    if (argument !== undefined) checkNamedArgument(scan, argument, call);
  }
}

const CAST_TYPE: StringArgument = { names: 'type', index: 1 };

/** `CAST(value, 'Type')`; of `CAST(value AS Type)`, the type has been checked. */
function checkCast(scan: Scan, list: Node): void {
  const [value, type] = list.parts;
  if (value === undefined || type === undefined || type.kind === 'type') return;
  // After a fault, the parts may be operands of an expression that was not read to its end.
  const isWhole = type.isWhole && type.to === scan.tree.fault?.at && scan.cursor.kind(type.from - 1) === ',';
  if (!list.isWhole && !isWhole) return;
  if (isNamedTuple(nodeReader(scan.tree), value, type)) return;
  checkNamedArgument(scan, type, { name: 'CAST', named: CAST_TYPE });
}

function checkNamedArgument(
  scan: Scan,
  { from, to }: Pick<Node, 'from' | 'to'>,
  { name, named }: NamedCall,
): void {
  const literal = to - from === 1 ? scan.cursor.text(from) : undefined;
  const { functions } = scan.surface;
  const violation = argumentViolation(named, { name, literal, functions });
  if (violation !== undefined) reject(scan, from, violation);
}

/** `f(DISTINCT …)` and `f(…) FILTER (…)` call `fDistinct` and `fIf`, which exist only for aggregate functions. */
function checkForms(scan: Scan, at: number): void {
  const { cursor } = scan;
  let after = cursor.after(at + 1);
  const isParametric = cursor.kind(after) === '(';
  const isDistinct = isDistinctAt(scan, at + 2) || (isParametric && isDistinctAt(scan, after + 1));
  if (isDistinct) checkFunction(scan, at, 'Distinct');
  if (isParametric) after = cursor.after(after);
  if (['IGNORE', 'RESPECT'].includes(cursor.word(after) ?? '')) after += 2;
  if (cursor.word(after) === 'FILTER') checkFunction(scan, at, 'If');
}

/** Whether DISTINCT precedes an argument rather than being one. */
function isDistinctAt({ cursor }: Scan, at: number): boolean {
  return cursor.word(at) === 'DISTINCT' && ![',', ')', '.'].includes(cursor.kind(at + 1) ?? '');
}
