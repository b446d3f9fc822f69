// The WITH clause of a saved query: tables (`name AS (SELECT …)`) and named expressions (`expression AS name`).
import type { Cursor } from './cursor.ts';
import type { SqlFinding } from './finding.ts';
import { identifierName } from './literal.ts';

/** One element of a WITH clause; offsets are into the query that was read. */
export interface WithElement {
  /**
   * table: `name AS (SELECT …)`; hidden: the same, but not for consumer queries; scalar: `(SELECT …) AS name`; expression: anything
   * else, lambdas included.
   */
  readonly kind: 'table' | 'hidden' | 'scalar' | 'expression';
  /** The name that it defines. */
  readonly name: string;
  /** The name as written, possibly quoted. */
  readonly nameText: string;
  readonly nameStart: number;
  /** The whole element, excluding the commas around it. */
  readonly start: number;
  readonly end: number;
  /** The subquery with its parentheses (table, scalar), or the expression. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/** The elements of a WITH clause, and where the main query starts. */
export interface WithClause {
  readonly recursive: boolean;
  readonly elements: readonly WithElement[];
  /** Token index of the main query. */
  readonly next: number;
}

/** Whether the element is a table of the saved query, also if consumers may not read it. */
export function isTable({ kind }: Pick<WithElement, 'kind'>): boolean {
  return kind === 'table' || kind === 'hidden';
}

/** Reads the clause at the start of the query; empty if the query does not begin with WITH. */
export function readWith(cursor: Cursor, findings: SqlFinding[]): WithClause {
  if (cursor.word(0) !== 'WITH') return { recursive: false, elements: [], next: 0 };
  const recursive = cursor.word(1) === 'RECURSIVE' && cursor.word(2) !== 'AS';
  const elements: WithElement[] = [];
  let at = recursive ? 2 : 1;
  for (;;) {
    const end = elementEnd(cursor, at);
    const element = readElement(cursor, at, end);
    if ('code' in element) findings.push(element);
    else elements.push(element);
    if (cursor.kind(end) !== ',') {
      findings.push(...duplicates(elements));
      return { recursive, elements, next: end };
    }
    at = end + 1;
  }
}

/** Ignores case: two names that differ only in case would confuse readers. */
function duplicates(elements: readonly WithElement[]): SqlFinding[] {
  const seen = new Set<string>();
  const findings: SqlFinding[] = [];
  for (const { name, nameStart, nameText } of elements) {
    const folded = name.toLowerCase();
    const end = nameStart + nameText.length;
    const message = `the WITH clause defines ${name} twice`;
    if (seen.has(folded)) findings.push({ start: nameStart, end, code: 'query.with_duplicate', message });
    seen.add(folded);
  }
  return findings;
}

/** Index of the comma or of the main query's first token; an element contains neither outside brackets. */
function elementEnd(cursor: Cursor, from: number): number {
  let at = from;
  while (at < cursor.length && cursor.kind(at) !== ',' && !startsMain(cursor, at)) at = cursor.after(at);
  return at;
}

function startsMain(cursor: Cursor, at: number): boolean {
  const word = cursor.word(at);
  return (word === 'SELECT' || word === 'FROM') && cursor.kind(at - 1) !== '.';
}

function readElement(cursor: Cursor, at: number, end: number): WithElement | SqlFinding {
  return readTable(cursor, at, end) ?? readExpression(cursor, at, end);
}

/** `name [(columns)] AS [[NOT] MATERIALIZED] (SELECT …)`. */
function readTable(cursor: Cursor, at: number, end: number): WithElement | SqlFinding | undefined {
  let body = cursor.kind(at + 1) === '(' ? cursor.after(at + 1) : at + 1;
  if (!isName(cursor, at) || cursor.word(body) !== 'AS') return undefined;
  body++;
  if (cursor.word(body) === 'NOT' && cursor.word(body + 1) === 'MATERIALIZED') body++;
  if (cursor.word(body) === 'MATERIALIZED') body++;
  if (cursor.kind(body) !== '(') return undefined;
  if (cursor.after(body) !== end || !holdsQuery(cursor, body)) {
    return cursor.finding('with_invalid', 'name AS (…) in a WITH clause must contain a single SELECT', body);
  }
  return named(cursor, { kind: 'table', name: at, at, end, body, bodyEnd: end });
}

/** `expression AS name`. */
function readExpression(cursor: Cursor, at: number, end: number): WithElement | SqlFinding {
  const name = end - 1;
  if (name - 1 <= at || !isName(cursor, name) || cursor.word(name - 1) !== 'AS') {
    const message = 'an element of a WITH clause is written name AS (SELECT …) or expression AS name';
    return cursor.finding('with_invalid', message, at < end ? at : 0);
  }
  const isScalar = cursor.kind(at) === '(' && cursor.after(at) === name - 1 && holdsQuery(cursor, at);
  const kind = isScalar ? 'scalar' : 'expression';
  return named(cursor, { kind, name, at, end, body: at, bodyEnd: name - 1 });
}

/** An element by token indexes; ends are exclusive. */
interface Parts {
  readonly kind: WithElement['kind'];
  readonly name: number;
  readonly at: number;
  readonly end: number;
  readonly body: number;
  readonly bodyEnd: number;
}

function named(cursor: Cursor, parts: Parts): WithElement | SqlFinding {
  const nameText = cursor.text(parts.name);
  const name = identifierName(nameText);
  if (name === undefined || name === '') {
    return cursor.finding(
      'identifier_escaped',
      'a quoted name must not contain a backslash here',
      parts.name,
    );
  }
  return {
    kind: parts.kind,
    name,
    nameText,
    nameStart: cursor.start(parts.name),
    start: cursor.start(parts.at),
    end: cursor.end(parts.end - 1),
    bodyStart: cursor.start(parts.body),
    bodyEnd: cursor.end(parts.bodyEnd - 1),
  };
}

function isName(cursor: Cursor, at: number): boolean {
  return cursor.kind(at) === 'word' || cursor.kind(at) === 'quoted';
}

/** Whether the parenthesis at `open` encloses a subquery, possibly within further parentheses. */
function holdsQuery(cursor: Cursor, open: number): boolean {
  let inside = open + 1;
  while (cursor.kind(inside) === '(') inside++;
  const word = cursor.word(inside);
  return word === 'SELECT' || word === 'WITH' || word === 'FROM';
}
