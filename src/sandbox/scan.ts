// One pass over a consumer's text: what it may see, what it has found, how large it has become.
import type { ConsumerText } from './consumer-text.ts';
import type { FunctionPolicy } from './function-policy.ts';
import { createStateFindings } from './states.ts';
import type { StateFindings } from './states.ts';
import { createTokenReader } from './token-reader.ts';
import type { TokenReader } from './token-reader.ts';

/** What an endpoint lets its consumers see. */
export interface Surface {
  /** Tables of the endpoint's WITH clause, by exact name, with the size of what each stands for, in tokens. */
  readonly tables: ReadonlyMap<string, number>;
  /** Names that a consumer's own WITH elements may not take, in lower case: all identifiers of the saved query. */
  readonly taken: ReadonlySet<string>;
  readonly functions: FunctionPolicy;
  /** Columns with states of aggregate functions, by table; unknown where the engine has not described them. */
  readonly stateColumns: ReadonlyMap<string, readonly string[]> | 'unknown';
}

export interface Scope {
  /** The consumer's own WITH tables in lexical scope, with their sizes. */
  readonly own: ReadonlyMap<string, number>;
  /** Inside a lambda nothing may be named. */
  readonly inLambda: boolean;
}

/** Whether an alias may follow an expression: not at all, behind AS, or bare as well. */
export type AliasForm = 'none' | 'as' | 'bare';

/** The mutually recursive parts of the grammar; each reads from where the scan stands. */
export interface Grammar {
  /** A query up to the bracket or the end that closes it. */
  query(scan: Scan, scope: Scope): void;
  expression(scan: Scan, scope: Scope, alias: AliasForm): void;
  /** A value with what belongs to it: path, index, cast. */
  operand(scan: Scan, scope: Scope): void;
}

/** What a scan has learned. */
export interface Findings {
  /** Endpoint tables that are read. */
  readonly tables: Set<string>;
  /** Names that the text itself gives: aliases, lambda arguments, WITH elements. */
  readonly names: Set<string>;
  /** Token indexes of names that stand alone where a value is expected. */
  readonly bare: number[];
  /** Where states of aggregate functions are and may be. */
  readonly states: StateFindings;
}

export interface Scan extends TokenReader {
  readonly surface: Surface;
  readonly grammar: Grammar;
  readonly findings: Findings;
  /** Runs `read` one level deeper. */
  nest(read: () => void): void;
  /** Counts a table's size where it is read. */
  grow(tokens: number): void;
  /** Runs `read` and gives the size of what it read, which is then not counted here. */
  measure(read: () => void): number;
}

/** Recursion goes on for brackets, CASE and INTERVAL; brackets alone may be 48 deep. */
const MAX_NESTING = 96;

/** Tokens once tables are put in their places; the engine takes a quarter of a second for twice as many. */
const MAX_EXPANDED = 25_000;

export function createScan(text: ConsumerText, surface: Surface, grammar: Grammar): Scan {
  const reader = createTokenReader(text);
  let depth = 0;
  let grown = 0;
  return {
    ...reader,
    surface,
    grammar,
    findings: { tables: new Set(), names: new Set(), bare: [], states: createStateFindings() },
    nest(read) {
      depth++;
      if (depth > MAX_NESTING) {
        reader.refuse({ code: 'sandbox.too_large', message: `Forms may stand at most ${MAX_NESTING} deep` });
      }
      read();
      depth--;
    },
    grow(tokens) {
      grown += tokens;
      if (reader.at() + grown <= MAX_EXPANDED) return;
      const message = 'With its tables put in their places the query is too large';
      reader.refuse({ code: 'sandbox.too_large', message });
    },
    measure(read) {
      const before = { at: reader.at(), grown };
      read();
      const size = reader.at() - before.at + grown - before.grown;
      grown = before.grown;
      return size;
    },
  };
}
