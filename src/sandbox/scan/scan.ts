// State of one pass over a consumer query: its scope, its findings, and its expanded size.
import type { LexedQuery } from '../lexed-query.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import { createSelect } from './selects.ts';
import type { SelectFinding } from './selects.ts';
import { createStateFindings } from './states.ts';
import type { StateFindings } from './states.ts';
import { createQueryReader, type QueryReader } from './query-reader.ts';

/** What an endpoint exposes to its consumers. */
export interface Surface {
  /** Tables of the endpoint's WITH clause by exact name, with the expanded size of each in tokens. */
  readonly tables: ReadonlyMap<string, number>;
  /** Names that a consumer's own WITH elements may not use, in lower case: all identifiers of the saved query. */
  readonly reservedNames: ReadonlySet<string>;
  readonly functions: FunctionPolicy;
  /** Columns with aggregate function states, by table; unknown if the engine has not described them. */
  readonly stateColumns: ReadonlyMap<string, readonly string[]> | 'unknown';
  /** The columns that the engine has described; none if they are not known. */
  readonly columnsOf: (table: string) => ReadonlySet<string>;
}

/** What a reference to a table adds to a query. */
export interface TableSize {
  readonly tokens: number;
  /** Reads of the endpoint's tables. */
  readonly reads: number;
}

/** What names mean at one point of the query. */
export interface Scope {
  /** The consumer's own WITH tables in lexical scope, with their sizes. */
  readonly withTables: ReadonlyMap<string, TableSize>;
  /** Inside a lambda no aliases are allowed. */
  readonly inLambda: boolean;
}

/** Whether an alias may follow an expression: not at all, only after AS, or also without AS. */
export type AliasForm = 'none' | 'as' | 'bare';

/** The mutually recursive parts of the grammar; each reads from the scan's current token. */
export interface Grammar {
  /** A query up to the closing parenthesis or the end. */
  query(scan: Scan, scope: Scope): void;
  expression(scan: Scan, scope: Scope, alias: AliasForm): void;
  /** A value with its suffixes: path, index, cast. */
  operand(scan: Scan, scope: Scope): void;
}

/** What a scan has found. */
export interface Findings {
  /** Endpoint tables that are read. */
  readonly tables: Set<string>;
  /** Names that the query itself defines: aliases, lambda arguments, WITH elements. */
  readonly names: Set<string>;
  /** Token indexes of bare names in positions of values. */
  readonly bare: number[];
  /** Where aggregate function states occur and where they may. */
  readonly states: StateFindings;
  /** Every SELECT, in the order in which they begin. */
  readonly selects: SelectFinding[];
  /** Endpoint tables that are the right side of IN, which compares all their columns. */
  readonly sets: Set<string>;
  /** The consumer's own WITH tables, and the token after the name of each. */
  readonly withTables: { readonly name: string; readonly at: number }[];
}

/** One pass over a consumer query; every scanner function reads from it and adds to its findings. */
export interface Scan extends QueryReader {
  readonly surface: Surface;
  readonly grammar: Grammar;
  readonly findings: Findings;
  /** Runs `read` one level deeper. */
  nest(read: () => void): void;
  /** Runs `read`; everything that it finds belongs to a new SELECT. */
  select<T>(read: () => T): T;
  /** The innermost SELECT that is being read. */
  current(): SelectFinding;
  /** Adds a table's size for each reference to it. */
  grow(size: TableSize): void;
  /** Runs `read` and returns the size of what it read, which is then not counted here. */
  measure(read: () => void): TableSize;
  /** Counts a regular expression: the engine compiles each one that is constant. */
  pattern(): void;
  /** Reads of the endpoint's tables so far, those of each reference to a consumer's own table counted. */
  reads(): number;
}

/** 6 to 10 ms of processor time each, which the engine does not interrupt within one OR: 480 took 23 s on a busy machine. */
const MAX_PATTERNS = 100;

/** Parentheses, CASE and INTERVAL recurse; parentheses alone may be 48 levels deep. */
const MAX_NESTING = 96;

/**
 * Tokens, and reads of the endpoint's tables, after tables are expanded: the engine analyses and plans a table again for each
 * reference to it. Measured near the first limit: 1.0 s of processor time for a union of nine tables with thirty counts (270
 * reads), 0.9 s for CASEs of 300 branches, 0.3 s for concatenations; near the second, over small tables, 0.5 s.
 */
const MAX_EXPANDED = 50_000;
const MAX_READS = 500;
const LESS = 'Read each table in fewer SELECTs: countIf counts several things in one';

/** A scan at the first token, without findings. */
export function createScan(query: LexedQuery, surface: Surface, grammar: Grammar): Scan {
  const reader = createQueryReader(query);
  let depth = 0;
  let grown: TableSize = { tokens: 0, reads: 0 };
  let current = createSelect(0);
  const selects: SelectFinding[] = [];
  return {
    ...reader,
    surface,
    grammar,
    findings: {
      tables: new Set(),
      names: new Set(),
      bare: [],
      states: createStateFindings(),
      selects,
      sets: new Set(),
      withTables: [],
    },
    select(read) {
      const outer = current;
      current = createSelect(reader.at());
      selects.push(current);
      const result = read();
      current.end = reader.at();
      current = outer;
      return result;
    },
    current: () => current,
    nest(read) {
      depth++;
      if (depth > MAX_NESTING) {
        reader.reject({
          code: 'sandbox.too_large',
          message: `A query may have at most ${MAX_NESTING} levels of nesting`,
        });
      }
      read();
      depth--;
    },
    grow({ tokens, reads }) {
      grown = { tokens: grown.tokens + tokens, reads: grown.reads + reads };
      if (reader.at() + grown.tokens <= MAX_EXPANDED && grown.reads <= MAX_READS) return;
      const message = 'The query is too large once each reference to a table is replaced by the table';
      reader.reject({ code: 'sandbox.too_large', message, hint: LESS });
    },
    measure(read) {
      const before = { at: reader.at(), grown };
      read();
      const tokens = reader.at() - before.at + grown.tokens - before.grown.tokens;
      const reads = grown.reads - before.grown.reads;
      grown = before.grown;
      return { tokens, reads };
    },
    pattern: createPatternLimit(reader),
    reads: () => grown.reads,
  };
}

function createPatternLimit(reader: QueryReader): () => void {
  let patterns = 0;
  return () => {
    if (++patterns <= MAX_PATTERNS) return;
    const message = `A query may have at most ${MAX_PATTERNS} regular expressions`;
    reader.reject({ code: 'sandbox.too_large', message, hint: "Combine them: match(x, 'a|b')" });
  };
}
