// Lint warnings for valid endpoint files, each under its own code.
import { isSignificant, tokenize, type Token } from '../sql/lexer.ts';
import { identifierName } from '../sql/literal.ts';
import { authorOffset } from '../sql/placeholders.ts';
import type { Analysis, RuleFinding } from './analysis.ts';
import type { Outline } from '../sql/outline.ts';

type UncodedFinding = Omit<RuleFinding, 'code' | 'severity'>;
/** An analysis whose query was parsed, with its tokens; offsets refer to the bound query. */
interface Read extends Analysis {
  readonly outline: Outline;
  readonly tokens: readonly Token[];
  /** By token: a bare word in upper case, and the identifier that a word or a quoted name denotes. */
  readonly words: readonly (string | undefined)[];
  readonly names: readonly (string | undefined)[];
  /** By token: the function, in lower case, whose parentheses enclose it; '' if no name precedes the parenthesis. */
  readonly around: readonly string[];
  /** The index of the token that begins at an offset. */
  readonly beginsAt: ReadonlyMap<number, number>;
}
type Lint = (read: Read) => Iterable<UncodedFinding>;

/** All lints, by the code of their warnings. */
export const LINTS: Readonly<Record<string, Lint>> = {
  'lint.no_description': function* ({ file }) {
    if ((file.description ?? '').trim() !== '') return;
    yield {
      path: ['name'],
      message: 'the endpoint has no description',
      hint: 'Add description: a sentence or two for its consumers',
    };
  },
  'lint.unqualified_table': function* (read) {
    const elements = new Set(read.outline.elements.map(({ name }) => name));
    for (const index of sources(read)) {
      const name = nameAt(read, index);
      if (name === undefined || isQualified(read, index) || elements.has(name)) continue;
      yield {
        ...at(read, index),
        message: `${name} is resolved in the default database of the connection`,
        hint: `Write database.${name}`,
      };
    }
  },
  'lint.select_star': function* (read) {
    const { outline, tokens } = read;
    const star = tokens.findIndex(
      (token, index) =>
        token.kind === '*' && token.start > outline.mainStart && wordAt(read, index - 1) === 'SELECT',
    );
    if (star === -1 || outline.elements.some(({ name }) => name === outline.from)) return;
    yield {
      ...at(read, star),
      message: 'adding or dropping a column of the table changes the response',
      hint: 'List the columns',
    };
  },
  'lint.unused_table': function* (read) {
    if (read.file.sandbox?.enabled === true) return; // consumers read them
    const uses = new Map<string | undefined, number>();
    for (const name of read.names) uses.set(name, (uses.get(name) ?? 0) + 1);
    for (const element of read.outline.elements) {
      if ((uses.get(element.name) ?? 0) > 1) continue;
      yield {
        path: ['query'],
        offset: authorOffset(read.bound.uses, element.nameStart),
        message: `${element.name} is never read`,
        hint: 'Remove it, or enable the sandbox so that consumers can read it',
      };
    }
  },
  'lint.order_in_table': function* (read) {
    const { outline, file } = read;
    if (file.sandbox?.enabled === true) return; // consumers may rely on it
    if (find(read, outline.mainStart, outline.mainEnd, ['ORDER', 'BY']).length === 0) return;
    for (const { kind, bodyStart, bodyEnd, name } of outline.elements) {
      if (kind !== 'table' || find(read, bodyStart, bodyEnd, ['LIMIT']).length > 0) continue;
      const [order] = find(read, bodyStart, bodyEnd, ['ORDER', 'BY']);
      if (order === undefined) continue;
      yield {
        ...at(read, order),
        message: `the rows of ${name} are sorted here and again by the main query`,
        hint: 'Remove this ORDER BY',
      };
    }
  },
  'lint.limit_over_max_rows': function* (read) {
    const { outline, file, tokens } = read;
    const limit = find(read, outline.mainStart, outline.mainEnd, ['LIMIT']).at(-1);
    const number = limit === undefined ? undefined : tokens[limit + 1];
    if (limit === undefined || number?.kind !== 'number' || depthAt(read, limit) > 0) return;
    const rows = Number(textOf(read, limit + 1));
    const maxRows = file.max_rows ?? 1000;
    const next = wordAt(read, limit + 2) ?? tokens[limit + 2]?.kind;
    if (!(rows > maxRows) || next === ',' || next === 'BY') return;
    yield {
      ...at(read, limit + 1),
      message: `responses are truncated at max_rows (${maxRows}) before this LIMIT applies`,
      hint: `Set max_rows: ${rows}, or lower the LIMIT`,
    };
  },
  'lint.regex_parameter': function* ({ file, bound, ...read }) {
    for (const use of bound.uses) {
      const index = read.beginsAt.get(use.boundStart) ?? -1;
      const spec = file.parameters?.[use.name];
      if (spec === undefined || spec.format === 'regex' || spec.enum !== undefined) continue;
      if (read.tokens[index - 1]?.kind !== ',' || !REGEX_FUNCTIONS.has(read.around[index] ?? '')) continue;
      yield {
        path: ['parameters', use.name],
        onKey: true,
        message: `the query uses @${use.name} as a regular expression: an invalid one fails with 500`,
        hint: 'Add format: regex, so that invalid expressions are rejected with 400',
      };
      return;
    }
  },
  'lint.cache_per_timestamp': function* ({ file }) {
    if (typeof file.cache !== 'object') return;
    for (const [name, { type, enum: allowed }] of Object.entries(file.parameters ?? {})) {
      if (!/^(Nullable\()?DateTime/.test(type) || allowed !== undefined) continue;
      yield {
        path: ['parameters', name],
        onKey: true,
        message: `every timestamp sent as ${name} gets its own cache entry, which is rarely requested again`,
        hint: 'Use a Date, or an enum of time windows, for cached endpoints',
      };
    }
  },
  'lint.warming_without_examples': function* ({ file }) {
    if (file.warming?.examples !== true || (file.examples ?? []).length > 0) return;
    yield {
      path: ['warming', 'examples'],
      message: 'warming.examples is set, but there are no examples',
      hint: 'Add examples, or remove examples: true',
    };
  },
};

const REGEX_FUNCTIONS: ReadonlySet<string> = new Set(
  'match extract extractall extractgroups regexpextract countmatches replaceregexpone replaceregexpall'.split(
    ' ',
  ),
);

/** The warnings of all lints, for a file without errors. */
export function lint(analysis: Analysis): readonly RuleFinding[] {
  const { outline } = analysis;
  if (outline === undefined) return [];
  const read = createRead(analysis, outline);
  return Object.entries(LINTS).flatMap(([code, rule]) =>
    [...rule(read)].map((finding) => ({ code, severity: 'warning' as const, ...finding })),
  );
}

function textOf({ bound, tokens }: Read, index: number): string {
  const token = tokens[index];
  return token === undefined ? '' : bound.sql.slice(token.start, token.end);
}

/** Tokenizes once: lints access the tokens by index. */
function createRead(analysis: Analysis, outline: Outline): Read {
  const { sql } = analysis.bound;
  const tokens = tokenize(sql).filter(isSignificant);
  const texts = tokens.map(({ start, end }) => sql.slice(start, end));
  const words = tokens.map(({ kind }, index) => (kind === 'word' ? texts[index]?.toUpperCase() : undefined));
  const names = tokens.map(({ kind }, index) =>
    kind === 'word' || kind === 'quoted' ? identifierName(texts[index] ?? '') : undefined,
  );
  const beginsAt = new Map(tokens.map(({ start }, index) => [start, index]));
  return { ...analysis, outline, tokens, words, names, around: functionsAround(tokens, words), beginsAt };
}

function functionsAround(
  tokens: readonly Token[],
  words: readonly (string | undefined)[],
): readonly string[] {
  const open: string[] = [];
  return tokens.map(({ kind }, index) => {
    if (kind === ')' || kind === ']') open.pop();
    const around = open.at(-1) ?? '';
    if (kind === '[') open.push('');
    if (kind === '(') {
      const word = words[index - 1];
      open.push(word === undefined || BEFORE_SUBQUERY.has(word) ? '' : word.toLowerCase());
    }
    return around;
  });
}

function wordAt({ words }: Read, index: number): string | undefined {
  return words[index];
}

function nameAt({ names }: Read, index: number): string | undefined {
  return names[index];
}

function at({ bound, tokens }: Read, index: number): Pick<UncodedFinding, 'path' | 'offset'> {
  return { path: ['query'], offset: authorOffset(bound.uses, tokens[index]?.start ?? 0) };
}

/** Tokens directly after FROM and JOIN that are names, not subqueries or table functions. */
function sources(read: Read): readonly number[] {
  return read.tokens.flatMap((_, index) => {
    const word = wordAt(read, index);
    const isName = nameAt(read, index + 1) !== undefined && read.tokens[index + 2]?.kind !== '(';
    // EXTRACT(x FROM y), trim(… FROM y): inside a function's parentheses, FROM names no table.
    return (word === 'FROM' || word === 'JOIN') && isName && read.around[index] === '' ? [index + 1] : [];
  });
}

function isQualified({ tokens }: Read, index: number): boolean {
  return tokens[index + 1]?.kind === '.';
}

const BEFORE_SUBQUERY: ReadonlySet<string> = new Set(
  'AS FROM JOIN IN SELECT WHERE AND OR NOT EXISTS ALL ANY UNION EXCEPT INTERSECT'.split(' '),
);

function depthAt({ tokens, outline }: Read, index: number): number {
  let depth = 0;
  for (const token of tokens.slice(0, index)) {
    if (token.start < outline.mainStart) continue;
    if (token.kind === '(') depth++;
    if (token.kind === ')') depth--;
  }
  return depth;
}

/** Start indexes of this sequence of words, between two offsets at token boundaries. */
function find(read: Read, start: number, end: number, words: readonly string[]): readonly number[] {
  const found: number[] = [];
  const first = read.beginsAt.get(start) ?? read.tokens.length;
  for (let index = first; index < read.tokens.length; index++) {
    if ((read.tokens[index]?.end ?? Infinity) > end) break;
    if (words.every((word, k) => wordAt(read, index + k) === word)) found.push(index);
  }
  return found;
}
