// Compiles a tree to ClickHouse SQL, equivalent to a consumer query, with every value as a literal.
import type { TextSpan } from '../base/finding.ts';
import { nearest } from '../base/nearest.ts';
import { chartSql } from './chart.ts';
import {
  anyCondition,
  containsCondition,
  fieldCondition,
  matchCondition,
  printCondition,
} from './condition.ts';
import type { Condition } from './value.ts';
import { parseColumnType } from '../types/column-type.ts';
import { findingAt, isFault, suggestion, type Fault, type LqlFinding } from './finding.ts';
import { createRegexCheck, type RegexUse } from './regex.ts';
import type { Table, FieldExpression } from './resolve.ts';
import { createScope, type StatementScope } from './scope.ts';
import { selectSql } from './select.ts';
import { compareTime } from './time-condition.ts';
import type { Clause, FieldFilter, Filter, From, MessageFilter, Tree } from './tree.ts';

/** What a query is compiled against. */
export interface CompileOptions {
  /** The available tables, with columns as described by the engine. */
  readonly tables: readonly Table[];
  /** The table used when the query names none and there are several. */
  readonly defaultTable: string | undefined;
  /** Microseconds since 1970. */
  readonly now: bigint;
  /** Maximum number of rows; unlimited if omitted. */
  readonly maxRows?: number;
}

/** One SELECT over one of the tables. Not guaranteed: that the engine accepts its regular expressions. */
export interface Compiled {
  readonly sql: string;
  readonly table: string;
  readonly regexes: readonly RegexUse[];
}

/** Compiles a query to SQL, or returns all findings, ordered by location. */
export function compile(
  tree: Tree,
  options: CompileOptions,
): Compiled | { readonly findings: readonly LqlFinding[] } {
  const table = chooseTable(tree, options);
  if (isFault(table)) return { findings: [table] };
  const scope = createScope(tree, table);
  const conditions = compileFilters(tree, scope, options.now);
  const shape = isChart(tree) ? chartSql(tree, scope) : selectSql(tree, scope);
  const findings = [...conditions, ...shape.findings].filter((part) => typeof part !== 'string');
  if (findings.length > 0) return { findings: findings.toSorted((a, b) => a.start - b.start) };
  const where = conditions.filter((part) => typeof part === 'string');
  const lines = [
    `SELECT ${shape.columns}`,
    `FROM ${scope.from}`,
    ...(where.length > 0 ? [`WHERE ${where.join('\n  AND ')}`] : []),
    ...shape.ending,
    ...(options.maxRows === undefined ? [] : [`LIMIT ${options.maxRows}`]),
  ];
  return { sql: lines.join('\n'), table: table.name, regexes: regexesOf(tree) };
}

function isChart({ clauses }: Tree): boolean {
  return clauses.some(({ kind }) => kind === 'aggregate' || kind === 'bucket');
}

function chooseTable(tree: Tree, { tables, defaultTable }: CompileOptions): Table | LqlFinding {
  const names = tables.map(({ name }) => name);
  const from = tree.clauses.find((each): each is From => each.kind === 'from')?.table;
  const wanted = from?.text ?? (tables.length === 1 ? tables[0]?.name : defaultTable);
  const table = tables.find(({ name }) => name === wanted);
  if (table !== undefined) return table;
  if (from !== undefined) return findingAt(from.span, tableUnknown(from.text, names));
  return findingAt(
    { start: 0, end: 0 },
    {
      code: 'lql.table_missing',
      message: 'this endpoint has several tables, and the query names none of them',
      hint: `start with f:${names[0] ?? 'name'}; ${suggestion(undefined, names)}`,
    },
  );
}

function tableUnknown(name: string, names: readonly string[]): Fault {
  return {
    code: 'lql.table_unknown',
    message: `there is no table ${name}`,
    hint: suggestion(nearest(name, names), names),
  };
}

function compileFilters(tree: Tree, scope: StatementScope, now: bigint): readonly (string | LqlFinding)[] {
  const checkRegex = createRegexCheck();
  return tree.clauses.filter(isFilter).map((filter) => {
    const regex = regexOf(filter);
    const fault = regex === undefined ? undefined : checkRegex(regex.pattern);
    if (fault !== undefined) return findingAt(regex?.span ?? filter.span, fault);
    const condition = compileFilter(filter, scope, now);
    return isFault(condition) ? condition : printCondition(condition, filter.negated);
  });
}

function isFilter(each: Clause): each is Filter {
  return each.kind === 'timestamp' || each.kind === 'field' || each.kind === 'message';
}

function compileFilter(filter: Filter, scope: StatementScope, now: bigint): Condition | LqlFinding {
  if (filter.kind === 'message') return compileMessage(filter, scope);
  const value = scope.resolve(filter.path);
  if (isFault(value)) return orText(value);
  if (filter.kind === 'field') return compileValues(filter, value);
  const condition = compareTime(value, filter.operator, filter.value, now);
  return isFault(condition) ? findingAt(placeOf(filter, filter.valueSpan, condition), condition) : condition;
}

/** The first value that does not fit is the finding. */
function compileValues(filter: FieldFilter, field: FieldExpression): Condition | LqlFinding {
  const conditions: Condition[] = [];
  for (const { value, span } of filter.values) {
    const condition = fieldCondition(field, filter.operator, value);
    if (isFault(condition)) return findingAt(placeOf(filter, span, condition), condition);
    conditions.push(condition);
  }
  return anyCondition(conditions);
}

/** A term that contains a colon parses as a path, so the hint also suggests quoting it. */
function orText(finding: LqlFinding): LqlFinding {
  if (finding.code !== 'lql.column_unknown') return finding;
  const quoting = 'to search for text with a colon in the message, put it in double quotes';
  return { ...finding, hint: finding.hint === undefined ? quoting : `${finding.hint}; ${quoting}` };
}

/** Location of a fault: the value, or the path if the path itself is invalid. */
function placeOf({ path }: Exclude<Filter, MessageFilter>, value: TextSpan, { code }: Fault): TextSpan {
  return code === 'lql.path_invalid' ? path.span : value;
}

function compileMessage(
  { match, value, span }: MessageFilter,
  scope: StatementScope,
): Condition | LqlFinding {
  const message = messageOf(scope, span);
  if (isFault(message)) return message;
  const searched = HAS_TEXT.has(message.type.kind) ? message : asJson(message);
  const condition =
    match === 'regex' ? matchCondition(searched, value.text) : containsCondition(searched, value.text);
  return isFault(condition) ? findingAt(span, condition) : condition;
}

/** What terms search: the message that the endpoint declares for its log view, otherwise a column with a usual name. */
function messageOf({ resolve, table }: StatementScope, span: TextSpan): FieldExpression | LqlFinding {
  const declared =
    table.message === undefined ? undefined : resolve({ segments: table.message.split('.'), span });
  if (declared !== undefined && !isFault(declared)) return declared;
  const names = table.columns.map(({ name }) => name);
  const name = MESSAGES.flatMap((each) => names.find((column) => column.toLowerCase() === each) ?? [])[0];
  if (name !== undefined) return resolve({ segments: [name], span });
  return findingAt(span, {
    code: 'lql.column_unknown',
    message: `a term searches the column ${MESSAGES.slice(0, -1).join(', ')} or ${MESSAGES.at(-1)}, and ${table.name} has none`,
    hint: 'name a column to search, as in path:~"a|b"',
  });
}

const HAS_TEXT: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'time',
  'uuid',
  'ipv4',
  'ipv6',
  'dynamic',
]);

/** Objects, lists and the like are searched as JSON. */
function asJson({ sql, shown, missing }: FieldExpression): FieldExpression {
  return { type: parseColumnType('String'), sql: `toJSONString(${sql})`, missing, shown };
}

/** The names under which the explorer finds the message, too. */
const MESSAGES = ['event_message', 'message', 'body', 'msg', 'text'];

function regexOf(filter: Filter): RegexUse | undefined {
  if (filter.kind === 'message') {
    return filter.match === 'regex' ? { pattern: filter.value.text, span: filter.value.span } : undefined;
  }
  if (filter.kind !== 'field' || !isRegexFilter(filter)) return undefined;
  const [first] = filter.values;
  return first?.value.kind === 'text' ? { pattern: first.value.text, span: first.span } : undefined;
}

function isRegexFilter({ operator }: FieldFilter): boolean {
  return operator === ':~' || operator === ':@>~';
}

function regexesOf({ clauses }: Tree): readonly RegexUse[] {
  return clauses.filter(isFilter).flatMap((filter) => regexOf(filter) ?? []);
}
