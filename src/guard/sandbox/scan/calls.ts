// Calls: allowed names, arguments that name something, lambdas and states.
import { takesFunction } from '../../../sql/clickhouse/higher-order.ts';
import { IN_FUNCTIONS } from '../../../sql/clickhouse/tree/keywords.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { argumentsOf, formsOf, nameOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { referenceViolation } from '../functions/higher-order.ts';
import { isNamedTuple, nodeReader } from '../named-tuple.ts';
import {
  argumentIndex,
  argumentViolation,
  stringArgument,
  type StringArgument,
} from '../string-arguments.ts';
import { checkFunction, countPattern, reject, visitValues, type Scan, type Scope } from './scan.ts';
import { acceptsStates, returnsStates } from './states.ts';
import { visitSet } from './query.ts';

/** ANY, ALL, SOME or EXISTS, and a subquery. */
export function visitQuantified(scan: Scan, { from, parts }: Node, scope: Scope): void {
  const word = wordOf(scan.tree, { at: from });
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
  const { tree, findings } = scan;
  const name = nameOf(tree, node);
  if (IN_FUNCTIONS.has(name.toLowerCase())) {
    for (const part of node.parts) visitInArguments(scan, part, scope);
    return;
  }
  checkFunction(scan, node.at);
  if (MATCHING.has(name.toLowerCase())) countPattern(scan, node.at);
  checkForms(scan, node);
  if (takesFunction(name)) rejectReference(scan, node, name);
  if (name.toLowerCase() === 'count') scan.counted = countedStar(node);
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
  for (const { kind, from, to } of takesStates ? argumentsOf(node) : [])
    if (kind !== 'lambda') findings.states.permitted.push({ start: from, end: to });
  const isNamedState = named?.names === 'function' && returnsStates(tree.cursor.text(node.at + 2));
  if (returnsStates(name) || isNamedState) findings.states.made.push({ start: node.from, end: node.to });
}

function visitInArguments(scan: Scan, { parts }: Node, scope: Scope): void {
  for (const [index, part] of parts.entries()) {
    if (index === 1) visitSet(scan, part, scope);
    else scan.visitor.value(scan, part, scope);
  }
}

/** A name alone, also in parentheses or with an alias, as the first of several arguments: the function of that name, if no value has it. */
function rejectReference(scan: Scan, call: Node, name: string): void {
  const first = call.parts[0]?.parts[0];
  let value = first;
  while (value?.kind === 'group' || value?.kind === 'alias') value = value.parts[0];
  // A keyword alone is no value, but may be the name of a function.
  const alone = { from: call.at + 2, to: call.at + 3, isWhole: true };
  const [named, whole] = value === first ? [alone, alone] : [value, first];
  if (named === undefined || named.to - named.from > 1 || whole?.isWhole !== true) return;
  const reference = nameOf(scan.tree, { at: named.from });
  if (reference === '' || wordOf(scan.tree, { at: whole.to }) !== ',') return;
  reject(scan, named.from, referenceViolation(name, reference));
}

/** Returns the star of `count(*)`. */
function countedStar({ parts: [list] }: Node): Node | undefined {
  const [star] = list?.parts ?? [];
  return star?.kind === 'star' && star.from === star.at && star.from - 1 === list?.from ? star : undefined;
}

interface NamedCall {
  readonly name: string;
  readonly named: StringArgument;
}

/** Checks the argument of a call that names a type, a function or a subcolumn. */
function checkNamed(scan: Scan, list: Node, call: NamedCall): void {
  if (wordOf(scan.tree, { at: list.from - 1 }) === 'CAST') checkCast(scan, list);
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
  const isWhole =
    type.isWhole && type.to === scan.tree.fault?.at && wordOf(scan.tree, { at: type.from - 1 }) === ',';
  if (!list.isWhole && !isWhole) return;
  if (isNamedTuple(nodeReader(scan.tree), value, type)) return;
  checkNamedArgument(scan, type, { name: 'CAST', named: CAST_TYPE });
}

function checkNamedArgument(
  scan: Scan,
  { from, to }: Pick<Node, 'from' | 'to'>,
  { name, named }: NamedCall,
): void {
  const literal = to - from === 1 ? scan.tree.cursor.text(from) : undefined;
  const { functions } = scan.surface;
  const violation = argumentViolation(named, { name, literal, functions });
  if (violation !== undefined) reject(scan, from, violation);
}

/** `f(DISTINCT …)` and `f(…) FILTER (…)` call `fDistinct` and `fIf`, which exist only for aggregate functions. */
function checkForms(scan: Scan, call: Node): void {
  const { isDistinct, isFiltered } = formsOf(scan.tree, call);
  if (isDistinct) checkFunction(scan, call.at, 'Distinct');
  if (isFiltered) checkFunction(scan, call.at, 'If');
}
