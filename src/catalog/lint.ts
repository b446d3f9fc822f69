// Lint warnings for valid endpoint files, each under its own code.
import type { DeclaredParameter } from '../params/declared.ts';
import { didYouMean } from '../core/nearest.ts';
import { knownFunction } from '../sandbox/functions/policy.ts';
import { createCursor, type Cursor } from '../sql/cursor.ts';
import type { Analysis, RuleFinding } from './analysis.ts';
import type { TokenKind } from '../sql/lexer.ts';
import type { Outline } from '../sql/outline.ts';
import { isShown } from './expectation.ts';
import { argumentAt } from './fitting-texts.ts';
import { DESCRIPTION_LINTS } from './lint-descriptions.ts';
import { isTablePosition } from './foreign-placeholders.ts';
import { withNames } from '../sql/table-references.ts';
import { isTable } from '../sql/outline.ts';
import { overVariants } from './variant-findings.ts';

type UncodedFinding = Omit<RuleFinding, 'code' | 'severity'>;
/** An analysis whose query was parsed, with its tokens; offsets refer to the bound query. */
interface Read extends Analysis {
  readonly outline: Outline;
  readonly query: Cursor;
  /** By token: the function, in lower case, whose parentheses enclose it; '' if no name precedes the parenthesis. */
  readonly around: readonly string[];
  /** The index of the token that begins at an offset. */
  readonly beginsAt: ReadonlyMap<number, number>;
}
type Lint = (read: Read) => Iterable<UncodedFinding>;

/** All lints, by the code of their warnings. */
export const LINTS: Readonly<Record<string, Lint>> = {
  ...DESCRIPTION_LINTS,
  'lint.unqualified_table': function* (read) {
    const elements = new Set([...read.outline.elements.map(({ name }) => name), ...withNames(read.query)]);
    for (const index of sources(read)) {
      const name = read.query.name(index);
      if (name === undefined || isQualified(read, index) || elements.has(name)) continue;
      yield {
        ...at(read, index),
        message: `${name} is resolved in the default database of the connection`,
        hint: `Write database.${name}`,
      };
    }
  },
  'lint.select_star': function* (read) {
    const { outline, query } = read;
    const star = query.tokens.findIndex(
      (token, index) =>
        token.kind === '*' && token.start > outline.mainStart && read.query.word(index - 1) === 'SELECT',
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
    for (const index of read.query.tokens.keys()) {
      const name = read.query.name(index);
      uses.set(name, (uses.get(name) ?? 0) + 1);
    }
    for (const element of read.outline.elements) {
      if ((uses.get(element.name) ?? 0) > 1) continue;
      const { path, offset } = read.inBound(element.nameStart);
      if (read.document.isIncluded(path, offset)) continue;
      yield {
        ...read.inBound(element.nameStart),
        message: `${element.name} is never read`,
        hint: 'Remove it, or enable the sandbox so that consumers can read it',
      };
    }
  },
  'lint.order_in_table': function* (read) {
    const { outline, file } = read;
    if (file.sandbox?.enabled === true) return; // consumers may rely on it
    if (find(read, outline.mainStart, outline.mainEnd, ['ORDER', 'BY']).length === 0) return;
    for (const element of outline.elements) {
      const { bodyStart, bodyEnd, name } = element;
      if (!isTable(element) || find(read, bodyStart, bodyEnd, ['LIMIT']).length > 0) continue;
      const [order] = find(read, bodyStart, bodyEnd, ['ORDER', 'BY']);
      if (order === undefined) continue;
      const place = at(read, order);
      if (read.document.isIncluded(place.path, place.offset ?? 0)) continue; // other endpoints may need it
      yield {
        ...place,
        message: `the rows of ${name} are sorted here and again by the main query`,
        hint: 'Remove this ORDER BY',
      };
    }
  },
  'lint.limit_over_max_rows': function* (read) {
    const { outline, file, query } = read;
    const limit = find(read, outline.mainStart, outline.mainEnd, ['LIMIT']).at(-1);
    const number = limit === undefined ? undefined : query.tokens[limit + 1];
    if (limit === undefined || number?.kind !== 'number' || depthAt(read, limit) > 0) return;
    const rows = Number(read.query.text(limit + 1));
    const maxRows = file.max_rows ?? 1000;
    const next = read.query.word(limit + 2) ?? query.kind(limit + 2);
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
      if (!REGEX_FUNCTIONS.has(read.around[index] ?? '')) continue;
      if (argumentAt(read.query, index).position !== 1) continue;
      yield {
        path: ['parameters', use.name],
        onKey: true,
        message: `the query uses @${use.name} as a regular expression: an invalid one fails with 500`,
        hint: 'Add format: regex, so that invalid expressions are rejected with 400',
      };
      return;
    }
  },
  'lint.cache_per_timestamp': function* ({ file, parameters }) {
    if (typeof file.cache !== 'object') return;
    for (const [name, { enum: allowed, round }] of Object.entries(file.parameters ?? {})) {
      const moments = parameters.get(name)?.moments;
      if (moments === undefined || moments.scale.isDate || allowed !== undefined || round !== undefined)
        continue;
      if (moments.fallback !== undefined) continue; // lint.relative_not_rounded
      yield {
        path: ['parameters', name],
        onKey: true,
        message: `every timestamp sent as ${name} gets its own cache entry, which is rarely requested again`,
        hint: 'Set round: 60s, so that callers who send now-1h share responses, or use a Date or an enum of time windows',
      };
    }
  },
  'lint.relative_not_rounded': function* ({ file, parameters }) {
    if (typeof file.cache !== 'object') return;
    for (const { name, moments } of parameters.values()) {
      const isCoarse = moments?.scale.isDate === true || file.parameters?.[name]?.round !== undefined;
      const { fallback } = moments ?? {};
      const isRounded = fallback?.steps.some(({ kind }) => kind === 'round') === true;
      if (fallback === undefined || fallback.parameter !== undefined || isCoarse || isRounded) continue;
      yield {
        path: ['parameters', name, 'default'],
        message:
          'the default is another time in every call, so that no call gets the cached response of another',
        hint: 'Add round: 60s',
      };
    }
  },
  'lint.nullable_redundant': function* ({ file, parameters }) {
    for (const { name, type, required } of parameters.values()) {
      if (type.kind !== 'scalar' || !type.isNullable || required) continue;
      if (file.parameters?.[name]?.default !== undefined) continue;
      yield {
        path: ['parameters', name, 'type'],
        message: 'an optional parameter without a default is NULL if it is not sent: Nullable adds nothing',
        hint: `Write ${type.scalar.name.slice(0, 100)}`,
      };
    }
  },
  'lint.warming_without_examples': function* ({ file }) {
    const examples = file.examples ?? [];
    if (file.warming?.examples !== true || examples.some(isShown)) return;
    yield {
      path: ['warming', 'examples'],
      message:
        examples.length === 0
          ? 'warming.examples is set, but there are no examples'
          : 'warming.examples is set, but all examples are for tests only: they have now, fixtures or test_only, or expect a rejection',
      hint: 'Add examples, or remove examples: true',
    };
  },
  'lint.example_duplicate': function* ({ file }) {
    const seen = new Set<string>();
    for (const [index, { name }] of (file.examples ?? []).entries()) {
      if (seen.has(name)) {
        yield {
          path: ['examples', index, 'name'],
          message: `two examples have the name ${JSON.stringify(name.slice(0, 100))}`,
          hint: 'Rename one of them: reports of millrace test and the explorer show the names',
        };
      }
      seen.add(name);
    }
  },
  'lint.function_unknown': function* ({ file }) {
    for (const list of ['allow', 'deny'] as const) {
      for (const [index, name] of (file.sandbox?.functions?.[list] ?? []).entries()) {
        const { isKnown, nearest } = knownFunction(name);
        if (isKnown) continue;
        yield {
          path: ['sandbox', 'functions', list, index],
          message: `the engine has no function ${name}`,
          hint: didYouMean(nearest) ?? 'Remove it, unless your ClickHouse server has a function of that name',
        };
      }
    }
  },
  'lint.parameter_as_column': function* (read) {
    for (const use of read.bound.uses) {
      const index = read.beginsAt.get(use.boundStart) ?? -1;
      const place = placeOfConstant(read, index);
      if (place === undefined) continue;
      yield {
        ...read.inText(use.start),
        message: `${place}: @${use.name} is a constant, the value that the caller sends, and names no column`,
        hint: `Declare choices: { name: expression, … } instead of a type, or write ${choicesOf(use.name, read.file.parameters?.[use.name]?.enum)}`,
      };
    }
  },
  'lint.null_comparison': function* (read) {
    for (const index of read.query.tokens.keys()) {
      const operator = nullComparison(read.query, index);
      if (operator === undefined) continue;
      yield {
        ...at(read, index),
        message: `a comparison with NULL is never true: the result of ${operator} is NULL`,
        hint: `Write IS ${operator === '!=' || operator === '<>' ? 'NOT ' : ''}NULL`,
      };
    }
  },
};

const COMPARISONS: ReadonlySet<TokenKind | undefined> = new Set<TokenKind | undefined>([
  '=', '!=', '<', '<=', '>', '>=',
]); // prettier-ignore
const BEFORE_CONDITION: ReadonlySet<string | undefined> = new Set(
  'WHERE PREWHERE HAVING QUALIFY ON AND OR SELECT WHEN THEN ELSE'.split(' '),
);

/** The operator that compares this token, a NULL that is a whole operand, with something; undefined otherwise. */
function nullComparison(query: Cursor, at: number): string | undefined {
  if (query.word(at) !== 'NULL') return undefined;
  const [before, after] = [query.kind(at - 1), query.kind(at + 1)];
  const endsHere = after === undefined || after === ')' || after === ',';
  if (COMPARISONS.has(before) && (endsHere || AFTER_CONDITION.has(query.word(at + 1))))
    return query.text(at - 1);
  const beginsHere = before === '(' || before === ',' || BEFORE_CONDITION.has(query.word(at - 1));
  return COMPARISONS.has(after) && beginsHere ? query.text(at + 1) : undefined;
}

const AFTER_CONDITION: ReadonlySet<string | undefined> = new Set(
  'AND OR AS THEN ELSE END FROM WHERE GROUP ORDER HAVING QUALIFY LIMIT OFFSET UNION SETTINGS'.split(' '),
);

const AGGREGATES: ReadonlySet<string> = new Set(
  'sum min max avg any anylast count uniq uniqexact median stddevpop grouparray topk'.split(' '),
);
const SORTED: ReadonlySet<string | undefined> = new Set(['ORDER', 'GROUP', 'PARTITION']);

/** What a parameter on its own has no effect on; undefined anywhere else. */
function placeOfConstant(read: Read, index: number): string | undefined {
  const { query } = read;
  const after = query.after(index);
  const next = query.kind(after);
  if (next !== undefined && next !== ',' && next !== ')' && next !== 'word') return undefined;
  const clause = query.word(index - 1) === 'BY' ? query.word(index - 2) : undefined;
  if (SORTED.has(clause)) return `${clause ?? ''} BY a parameter has no effect`;
  const around = read.around[index] ?? '';
  const isParametric = query.kind(after + 1) === '(';
  if (AGGREGATES.has(around) && query.kind(index - 1) === '(' && next === ')' && !isParametric)
    return `${around}() of a parameter does not depend on the rows`;
  return isChoiceOfColumn(read, index, after) ? 'this result is the same in all rows' : undefined;
}

/** `multiIf(@side = 'bid', bid, @side = 'ask', ask, NULL)`. */
function choicesOf(name: string, allowed: DeclaredParameter['enum'] = []): string {
  const [first, second] = allowed.map(String).filter((each) => /^[a-z_]\w*$/i.test(each));
  const branches = [first ?? 'a', second ?? 'b'].map((each) => `@${name} = '${each}', ${each}`);
  return `multiIf(${branches.join(', ')}, NULL)`;
}

/** `@side AS high`, with an enum of names of columns, which are in the query nowhere else. */
function isChoiceOfColumn({ query, bound, file }: Read, index: number, after: number): boolean {
  const name = bound.uses.find(({ boundStart }) => boundStart === query.start(index))?.name ?? '';
  const alias = query.word(after) === 'AS' ? query.name(after + 1) : undefined;
  const isItem = query.word(index - 1) === 'SELECT' || query.kind(index - 1) === ',';
  if (alias === undefined || alias === name || !isItem) return false;
  const choices = file.parameters?.[name]?.enum ?? [];
  return choices.length > 1 && choices.every((each) => /^[a-z_]\w*$/i.test(String(each)));
}

const REGEX_FUNCTIONS: ReadonlySet<string> = new Set(
  'match extract extractall extractgroups regexpextract countmatches replaceregexpone replaceregexpall'.split(
    ' ',
  ),
);

/** The warnings of all lints about all variants of the query, for a file without errors. */
export function lint(analysis: Analysis): readonly RuleFinding[] {
  return overVariants(analysis, lintVariant);
}

function lintVariant(analysis: Analysis): readonly RuleFinding[] {
  const { outline } = analysis;
  if (outline === undefined) return [];
  const read = createRead(analysis, outline);
  return Object.entries(LINTS).flatMap(([code, rule]) =>
    [...rule(read)].map((finding) => ({ code, severity: 'warning' as const, ...finding })),
  );
}

/** Lexes once: lints access the tokens by index. */
function createRead(analysis: Analysis, outline: Outline): Read {
  const query = createCursor(analysis.bound.sql, analysis.bound.tokens);
  const beginsAt = new Map(query.tokens.map(({ start }, index) => [start, index]));
  return { ...analysis, outline, query, around: functionsAround(query), beginsAt };
}

function functionsAround(query: Cursor): readonly string[] {
  const open: string[] = [];
  return query.tokens.map(({ kind }, index) => {
    if (kind === ')' || kind === ']') open.pop();
    const around = open.at(-1) ?? '';
    if (kind === '[') open.push('');
    if (kind === '(') {
      const word = query.word(index - 1);
      open.push(word === undefined || BEFORE_SUBQUERY.has(word) ? '' : word.toLowerCase());
    }
    return around;
  });
}

function at({ inBound, query }: Read, index: number): Pick<UncodedFinding, 'path' | 'offset'> {
  return inBound(query.start(index));
}

/** Tokens directly after FROM and JOIN that are names, not subqueries or table functions. */
function sources(read: Read): readonly number[] {
  return read.query.tokens.flatMap((_, index) => {
    const word = read.query.word(index);
    const isName = read.query.name(index + 1) !== undefined && read.query.kind(index + 2) !== '(';
    // EXTRACT(x FROM y), trim(… FROM y): inside a function's parentheses, FROM names no table. ARRAY JOIN has columns.
    if ((word !== 'FROM' && word !== 'JOIN') || !isName || read.around[index] !== '') return [];
    if (read.query.word(index - 1) === 'ARRAY') return [];
    return isTablePosition(read.query, index + 1) ? [index + 1] : [];
  });
}

function isQualified({ query }: Read, index: number): boolean {
  return query.kind(index + 1) === '.';
}

const BEFORE_SUBQUERY: ReadonlySet<string> = new Set(
  'AS FROM JOIN IN SELECT WHERE AND OR NOT EXISTS ALL ANY UNION EXCEPT INTERSECT'.split(' '),
);

function depthAt({ query, outline }: Read, index: number): number {
  let depth = 0;
  for (const token of query.tokens.slice(0, index)) {
    if (token.start < outline.mainStart) continue;
    if (token.kind === '(') depth++;
    if (token.kind === ')') depth--;
  }
  return depth;
}

/** Start indexes of this sequence of words, between two offsets at token boundaries. */
function find(read: Read, start: number, end: number, words: readonly string[]): readonly number[] {
  const found: number[] = [];
  const first = read.beginsAt.get(start) ?? read.query.tokens.length;
  for (let index = first; index < read.query.tokens.length; index++) {
    if ((read.query.tokens[index]?.end ?? Infinity) > end) break;
    if (words.every((word, k) => read.query.word(index + k) === word)) found.push(index);
  }
  return found;
}
