// Whether the text of the engine's tree can be trusted. Names of columns, keys of JSON constants and values of settings are
// printed as they are: one with a line break could imitate other lines. Each check below holds for the text before the name,
// which cannot be imitated.
import { type TreeLine, QUERY_HEADINGS } from '../../../sql/clickhouse/query-tree.ts';
import { UnreadableTree } from './tree-lines.ts';

/** The headings below each kind of node. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  QUERY: ['CORRELATED COLUMNS', 'PROJECTION COLUMNS', 'SETTINGS', ...QUERY_HEADINGS],
  UNION: ['CORRELATED COLUMNS', 'QUERIES'],
  LIST: [],
  TABLE: [],
  IDENTIFIER: [],
  TABLE_FUNCTION: ['ARGUMENTS'],
  JOIN: ['LEFT TABLE EXPRESSION', 'RIGHT TABLE EXPRESSION', 'JOIN EXPRESSION'],
  'CROSS JOIN': ['TABLE EXPRESSION'],
  CROSS_JOIN: ['TABLE EXPRESSION', 'LEFT TABLE EXPRESSION', 'RIGHT TABLE EXPRESSION'],
  ARRAY_JOIN: ['TABLE EXPRESSION', 'JOIN EXPRESSIONS'],
  COLUMN: ['EXPRESSION'],
  CONSTANT: ['EXPRESSION'],
  FUNCTION: ['PARAMETERS', 'ARGUMENTS', 'WINDOW'],
  LAMBDA: ['ARGUMENTS', 'EXPRESSION'],
  WINDOW: ['PARTITION BY', 'ORDER BY', 'FRAME BEGIN OFFSET', 'FRAME END OFFSET'],
  SORT: ['EXPRESSION', 'FILL FROM', 'FILL TO', 'FILL STEP', 'FILL STALENESS'],
  INTERPOLATE: ['EXPRESSION', 'INTERPOLATE_EXPRESSION'],
}; // prettier-ignore

/** The setting with which the tree has every scalar subquery (`resolve.ts`). */
export const SCALAR_SETTING = 'enable_scalar_subquery_optimization';

/** Settings with no influence on which rows a query depends on, and whose values have no line breaks. */
const SETTINGS =
  /^(?:limit|offset|max_(?:threads|final_threads|execution_time|estimated_execution_time|memory_usage|block_size|bytes_before_external_\w+|bytes_ratio_before_external_\w+|rows_to_\w+|bytes_to_\w+|result_rows|result_bytes|rows_in_\w+|bytes_in_\w+|columns_to_read|temporary_columns|subquery_depth|recursive_cte_evaluation_depth|expanded_ast_elements|ast_\w+|query_size|parallel_replicas|streams_to_max_threads_ratio|download_threads|parsing_threads)|min_bytes_to_use_direct_io|optimize_(?:read_in_order|aggregation_in_order|move_to_prewhere|use_projections|distinct_in_order)|query_plan_\w+|enable_optimize_predicate_expression|use_skip_indexes|use_uncompressed_cache|use_query_condition_cache|use_query_cache|query_cache_(?:ttl|min_query_runs|min_query_duration)|join_algorithm|join_use_nulls|any_join_distinct_right_table_keys|enable_analyzer|allow_experimental_(?:analyzer|correlated_subqueries)|allow_suspicious_low_cardinality_types|enable_named_columns_in_function_tuple|enable_parallel_replicas|date_time_(?:input|output)_format|output_format_\w*(?:quote|escape|precision|denormals|named_tuples|trailing_zeros)\w*|compile_\w+|priority|log_queries|timeout_before_checking_execution_speed|read_in_order_\w+|prefer_localhost_replica|load_balancing)$/;

/** Table functions whose columns are those of stored tables, of a structure in the query, or fixed. */
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  'numbers', 'numbers_mt', 'zeros', 'zeros_mt', 'one', 'generate_series', 'generateSeries', 'generateRandom', 'values', 'null',
  'primes', 'merge', 'dictionary',
]); // prettier-ignore

/** Throws UnreadableTree if a name could imitate a line, or if a line is not known. `ambiguous`: tables with such names. */
export function checkTree(text: string, root: TreeLine, ambiguous: ReadonlySet<string> = new Set()): void {
  // Types escape names: what follows from a type that has such a name is not certain. Names of subcolumns quote types and keys.
  if (/`[^`\n]*\\[abefnrtv0x]/.test(text.replaceAll(/\.[:^]`[\w(), .-]*`/g, '')))
    throw new UnreadableTree('a name contains a line break');
  if (/\b(?:Object|AggregateFunctionState|CustomType)_\(/.test(text))
    throw new UnreadableTree('a constant of type JSON or AggregateFunction');
  for (const [, name = ''] of text.matchAll(/, table_function_name: ([^,\n]*)/g)) {
    if (!TABLE_FUNCTIONS.has(name)) throw new UnreadableTree(`the columns of ${name}() are not known`);
  }
  for (const [, name = ''] of text.matchAll(/, function_name: (file|ai[A-Z]\w*|__getScalar),/g))
    throw new UnreadableTree(`what ${name}() reads is not known`);
  for (const [, list = ''] of text.matchAll(/^ *SETTINGS (.*)$/gm)) checkSettings(list);
  for (const name of ambiguous) {
    if (text.includes(name)) throw new UnreadableTree(`a column of ${name} contains a line break`);
  }
  checkLine(root);
}

function checkSettings(list: string): void {
  for (const setting of list.split(' ')) {
    const [name = '', value = ''] = setting.split('=');
    if ((name !== SCALAR_SETTING && !SETTINGS.test(name)) || !/^[\w.,-]+$/.test(value))
      throw new UnreadableTree(`the effect of SETTINGS ${name} is not known`);
  }
}

function checkLine(line: TreeLine): void {
  const known = HEADINGS[line.kind];
  if (known === undefined) throw new UnreadableTree(`${line.kind} is not known`);
  const seen = new Set<string>();
  for (const part of line.children) {
    if (part.isNode) {
      if (line.kind !== 'LIST') throw new UnreadableTree(`${part.kind} in ${line.kind}`);
      checkLine(part);
      continue;
    }
    const name = headingOf(line, part);
    const isRepeated = seen.has(name) && name !== 'TABLE EXPRESSION';
    if (isRepeated || !known.includes(name)) throw new UnreadableTree(`an unexpected part of ${line.kind}`);
    seen.add(name);
    checkPart(part, name);
  }
}

/** Without what follows a heading: settings, and the name of a sorted column. */
function headingOf({ kind }: TreeLine, part: TreeLine): string {
  if (kind === 'QUERY' && part.kind.startsWith('SETTINGS ')) return 'SETTINGS';
  const isNamed = (kind === 'SORT' || kind === 'INTERPOLATE') && part.kind.startsWith('EXPRESSION ');
  return isNamed ? 'EXPRESSION' : part.kind;
}

function checkPart(part: TreeLine, name: string): void {
  const isText = name === 'PROJECTION COLUMNS' || name === 'SETTINGS';
  for (const child of part.children) {
    if (child.isNode === isText || (isText && child.children.length > 0))
      throw new UnreadableTree(`an unexpected line in ${name}`);
    if (!isText) checkLine(child);
  }
}
