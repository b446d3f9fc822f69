// What a strict reviewer would ask about an endpoint file that works: warnings, each under its own code.
import { isSignificant, tokenize, type Token } from '../sql/lexer.ts';
import { identifierName } from '../sql/literal.ts';
import { authorOffset } from '../sql/placeholders.ts';
import type { Analysis, RuleFinding } from './analysis.ts';
import type { Outline } from '../sql/outline.ts';

type Finding = Omit<RuleFinding, 'code' | 'severity'>;
/** An analysis whose query was read, with its tokens: offsets are into the bound text. */
interface Read extends Analysis {
  readonly outline: Outline;
  readonly tokens: readonly Token[];
}
type Lint = (read: Read) => Iterable<Finding>;

/** Every lint there is, by the code of its warnings. */
export const LINTS: Readonly<Record<string, Lint>> = {
  'lint.no_description': function* ({ file }) {
    if ((file.description ?? '').trim() !== '') return;
    yield {
      path: ['name'],
      message: 'nothing says what this endpoint answers',
      hint: 'Add description: a sentence for its consumers',
    };
  },
  'lint.unqualified_table': function* (read) {
    const { outline } = read;
    for (const index of sources(read)) {
      const name = nameAt(read, index);
      if (name === undefined || isQualified(read, index)) continue;
      if (outline.elements.some((element) => element.name === name)) continue;
      yield {
        ...at(read, index),
        message: `${name} is looked up in whatever database the connection has`,
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
      message: 'a column that the table gets or loses changes what consumers get',
      hint: 'Name the columns',
    };
  },
  'lint.unused_table': function* (read) {
    if (read.file.sandbox?.enabled === true) return; // consumers read them
    for (const element of read.outline.elements) {
      const uses = read.tokens.filter((_, index) => nameAt(read, index) === element.name).length;
      if (uses > 1) continue;
      yield {
        path: ['query'],
        offset: authorOffset(read.bound.uses, element.nameStart),
        message: `nothing reads ${element.name}`,
        hint: 'Remove it, or enable the sandbox so that consumers can',
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
        message: `the rows of ${name} are sorted, and sorted again by the main query`,
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
      message: `answers are cut at max_rows, ${maxRows}, before this LIMIT`,
      hint: `Write max_rows: ${rows}, or a smaller LIMIT`,
    };
  },
  'lint.regex_parameter': function* ({ file, bound, ...read }) {
    const whole = { ...read, file, bound };
    for (const use of bound.uses) {
      const index = read.tokens.findIndex((token) => token.start === use.boundStart);
      const spec = file.parameters?.[use.name];
      if (spec === undefined || spec.format === 'regex' || spec.enum !== undefined) continue;
      if (read.tokens[index - 1]?.kind !== ',' || !REGEX_FUNCTIONS.has(functionAround(whole, index)))
        continue;
      yield {
        path: ['parameters', use.name],
        onKey: true,
        message: `@${use.name} is a regular expression in the query: a caller's bad one fails there, as a defect of ours`,
        hint: 'Add format: regex, so that it is refused with a message for the caller',
      };
      return;
    }
  },
  'lint.cache_by_moment': function* ({ file }) {
    if (typeof file.cache !== 'object') return;
    for (const [name, { type, enum: allowed }] of Object.entries(file.parameters ?? {})) {
      if (!/^(Nullable\()?DateTime/.test(type) || allowed !== undefined) continue;
      yield {
        path: ['parameters', name],
        onKey: true,
        message: `each moment sent as ${name} is an answer of its own: few are asked for twice`,
        hint: 'Take a Date, or a choice of windows, where answers are kept',
      };
    }
  },
  'lint.warming_without_examples': function* ({ file }) {
    if (file.warming?.examples !== true || (file.examples ?? []).length > 0) return;
    yield {
      path: ['warming', 'examples'],
      message: 'there are no examples to keep warm',
      hint: 'Add examples, or remove examples: true',
    };
  },
};

const REGEX_FUNCTIONS: ReadonlySet<string> = new Set(
  'match extract extractall extractgroups regexpextract countmatches replaceregexpone replaceregexpall'.split(
    ' ',
  ),
);

/** All warnings of all lints, for a file without errors. */
export function lint(analysis: Analysis): readonly RuleFinding[] {
  const { outline } = analysis;
  if (outline === undefined) return [];
  const read: Read = { ...analysis, outline, tokens: tokenize(analysis.bound.sql).filter(isSignificant) };
  return Object.entries(LINTS).flatMap(([code, rule]) =>
    [...rule(read)].map((finding) => ({ code, severity: 'warning' as const, ...finding })),
  );
}

function textOf({ bound, tokens }: Read, index: number): string {
  const token = tokens[index];
  return token === undefined ? '' : bound.sql.slice(token.start, token.end);
}

function wordAt(read: Read, index: number): string | undefined {
  return read.tokens[index]?.kind === 'word' ? textOf(read, index).toUpperCase() : undefined;
}

function nameAt(read: Read, index: number): string | undefined {
  const kind = read.tokens[index]?.kind;
  return kind === 'word' || kind === 'quoted' ? identifierName(textOf(read, index)) : undefined;
}

function at({ bound, tokens }: Read, index: number): Pick<Finding, 'path' | 'offset'> {
  return { path: ['query'], offset: authorOffset(bound.uses, tokens[index]?.start ?? 0) };
}

/** Tokens right behind FROM and JOIN that are names, not subqueries or table functions. */
function sources(read: Read): readonly number[] {
  return read.tokens.flatMap((_, index) => {
    const word = wordAt(read, index);
    const isName = nameAt(read, index + 1) !== undefined && read.tokens[index + 2]?.kind !== '(';
    // EXTRACT(x FROM y), trim(… FROM y): inside the brackets of a function, FROM names no table.
    return (word === 'FROM' || word === 'JOIN') && isName && functionAround(read, index) === ''
      ? [index + 1]
      : [];
  });
}

function isQualified({ tokens }: Read, index: number): boolean {
  return tokens[index + 1]?.kind === '.';
}

/** The function, in lower case, whose brackets are around a token; '' where a bracket follows no name. */
function functionAround(read: Read, index: number): string {
  let depth = 0;
  for (let i = index - 1; i >= 0; i--) {
    const kind = read.tokens[i]?.kind;
    if (kind === ')' || kind === ']') depth++;
    if (kind !== '(' && kind !== '[') continue;
    if (depth-- > 0) continue;
    const word = wordAt(read, i - 1);
    return kind === '(' && word !== undefined && !BEFORE_SUBQUERY.has(word) ? word.toLowerCase() : '';
  }
  return '';
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

/** Indexes of the tokens where these words stand in a row, between two offsets. */
function find(read: Read, start: number, end: number, words: readonly string[]): readonly number[] {
  return read.tokens.flatMap((token, index) => {
    const fits = token.start >= start && token.end <= end;
    return fits && words.every((word, k) => wordAt(read, index + k) === word) ? [index] : [];
  });
}
