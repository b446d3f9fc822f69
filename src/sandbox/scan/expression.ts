// Expressions: alternating values and operators, every token read. No precedence: nothing is evaluated here.
import { scanIn } from './in.ts';
import { isBareAlias, scanNewName } from './names.ts';
import type { AliasForm, Scan, Scope } from './scan.ts';

const MAX_PREFIXES = 32;

/** Maximum length of a chain of operators that nest in the engine's tree; AND, OR and || are flat there. */
const MAX_CHAIN = 128;

const OPERATORS: ReadonlySet<string> = new Set([
  '+',
  '-',
  '*',
  '/',
  '%',
  '=',
  '!=',
  '<',
  '>',
  '<=',
  '>=',
  '<=>',
  '||',
]);
const WORDS: ReadonlySet<string> = new Set([
  'AND',
  'OR',
  'LIKE',
  'ILIKE',
  'REGEXP',
  'DIV',
  'MOD',
  'ESCAPE',
  'BETWEEN',
]);
const FLAT: ReadonlySet<string> = new Set(['AND', 'OR', '||']);

/** An expression and its optional alias. */
export function scanExpression(scan: Scan, scope: Scope, alias: AliasForm): void {
  let chain = 0;
  let conditionals = 0;
  scanPrefixes(scan);
  scan.grammar.operand(scan, scope);
  for (;;) {
    if (scanTest(scan) || scanIn(scan, scope)) continue;
    const symbol = scan.kind();
    if (symbol === '?') conditionals++;
    else if (symbol === ':' && conditionals > 0) conditionals--;
    else if (!isOperator(scan)) break;
    chain = FLAT.has(scan.word() ?? symbol ?? '') ? 0 : chain + 1;
    if (chain > MAX_CHAIN) {
      const message = `At most ${MAX_CHAIN} operators may be chained without AND, OR or parentheses`;
      scan.reject({ code: 'sandbox.too_large', message });
    }
    if (scan.word() === 'REGEXP') scan.pattern();
    skipOperator(scan);
    scanPrefixes(scan);
    scan.grammar.operand(scan, scope);
  }
  if (conditionals > 0)
    scan.reject({ code: 'sandbox.syntax_unsupported', message: 'Expected : and the second branch of ?' });
  scanAlias(scan, scope, alias);
}

function scanPrefixes(scan: Scan): void {
  for (let count = 1; scan.takeKind('-') || scan.takeKind('+') || scan.take('NOT'); count++) {
    if (count < MAX_PREFIXES) continue;
    scan.reject({
      code: 'sandbox.too_large',
      message: `At most ${MAX_PREFIXES} unary operators may precede a value`,
    });
  }
}

/** `IS [NOT] NULL` and similar tests, which are complete; `IS DISTINCT FROM` still needs its right side. */
function scanTest(scan: Scan): boolean {
  if (scan.word() !== 'IS') return false;
  const ahead = scan.word(1) === 'NOT' ? 2 : 1;
  if (!['NULL', 'TRUE', 'FALSE', 'UNKNOWN'].includes(scan.word(ahead) ?? '')) return false;
  scan.skip(ahead + 1);
  return true;
}

function isOperator(scan: Scan): boolean {
  return operatorLength(scan) > 0;
}

function skipOperator(scan: Scan): void {
  scan.skip(Math.max(1, operatorLength(scan)));
}

/** Number of tokens of the operator at the scan; 0 if there is none. */
function operatorLength(scan: Scan): number {
  const word = scan.word();
  if (word === undefined) return OPERATORS.has(scan.kind() ?? '') ? 1 : 0;
  if (WORDS.has(word)) return 1;
  const next = scan.word(1);
  if (word === 'NOT') return next === 'LIKE' || next === 'ILIKE' || next === 'BETWEEN' ? 2 : 0;
  if (word === 'AT') return next === 'TIME' && scan.word(2) === 'ZONE' ? 3 : 0;
  if (word !== 'IS') return 0;
  const ahead = next === 'NOT' ? 2 : 1;
  return scan.word(ahead) === 'DISTINCT' && scan.word(ahead + 1) === 'FROM' ? ahead + 2 : 0;
}

function scanAlias(scan: Scan, scope: Scope, alias: AliasForm): void {
  if (alias === 'none') return;
  if (scan.word() === 'AS') {
    if (scope.inLambda) {
      scan.reject({ code: 'sandbox.syntax_unsupported', message: 'Aliases are not allowed inside a lambda' });
    }
    scan.skip();
    scanNewName(scan);
    scan.current().definesLater = true;
  } else if (alias === 'bare' && isBareAlias(scan)) scanNewName(scan);
}
