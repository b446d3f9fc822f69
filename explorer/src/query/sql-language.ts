// ClickHouse SQL for the editor: syntax highlighting, and completion from the tables that the endpoint exposes.
import {
  insertBracket,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { SQLDialect } from '@codemirror/lang-sql';
import { LanguageSupport, syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import type { Sandbox, Table } from '../service/listing.ts';
import { aliasesIn, namesOf, tablesRead } from './vocabulary.ts';
import { WHITE_SPACE } from './white-space.ts';

const KEYWORDS =
  'select from where prewhere group by order having limit offset with as and or not in is null like ilike between case when then ' +
  'else end union all distinct join inner left right full outer cross any asof semi anti on using array final interval asc desc ' +
  'nulls first last over partition rows range unbounded preceding following current row window exists cast qualify except ' +
  'intersect fill step rollup cube totals true false';
const TYPES =
  'String UInt8 UInt16 UInt32 UInt64 Int8 Int16 Int32 Int64 Float32 Float64 Date DateTime DateTime64 UUID Array Map Tuple JSON Nullable';

const CLICKHOUSE = SQLDialect.define({
  keywords: KEYWORDS,
  types: TYPES.toLowerCase(),
  backslashEscapes: true,
  identifierQuotes: '`"',
});

const MAIN_KEYWORDS = [
  'SELECT',
  'FROM',
  'WHERE',
  'GROUP BY',
  'ORDER BY',
  'HAVING',
  'LIMIT',
  'AS',
  'AND',
  'OR',
  'NOT',
  'IN',
  'DESC',
  'JOIN',
  'ON',
  'WITH',
  'UNION ALL',
  'INTERVAL',
  'CASE',
  'WHEN',
  'THEN',
  'ELSE',
  'END',
  'BETWEEN',
  'LIKE',
  'ILIKE',
  'DISTINCT',
  'IS NULL',
  'IS NOT NULL',
];
const NO_NAMES = /String|Comment|Quoted/;

export function sqlLanguage(sandbox: Sandbox): Extension {
  const fixed = fixedOptions(sandbox);
  return [
    new LanguageSupport(CLICKHOUSE.language),
    CLICKHOUSE.language.data.of({
      autocomplete: (context: CompletionContext) => complete(context, sandbox, fixed),
    }),
  ];
}

/** Completions valid anywhere: tables, functions, keywords. */
function fixedOptions({ tables, functions }: Sandbox): readonly Completion[] {
  return [
    ...(tables ?? []).map((table): Completion => ({
      label: table.name,
      type: 'class',
      detail: 'table',
      boost: 60,
    })),
    ...Object.entries(functions).flatMap(([family, names]) =>
      names.map((name) => functionOption(name, family)),
    ),
    ...MAIN_KEYWORDS.map((label): Completion => ({ label, type: 'keyword', boost: 20 })),
  ];
}

function functionOption(label: string, family: string): Completion {
  return {
    label,
    type: 'function',
    detail: family,
    apply: (view, _, from, to) => {
      const selection = { anchor: from + label.length };
      view.dispatch({ changes: { from, to, insert: label }, selection, userEvent: 'input.complete' });
      const isCalled = view.state.sliceDoc(selection.anchor, selection.anchor + 1) === '(';
      const parentheses = isCalled ? null : insertBracket(view.state, '(');
      if (parentheses !== null) view.dispatch(parentheses);
    },
  };
}

/** Where a new name or a unit is written: after AS, and after INTERVAL and its number. */
const NEW_NAME = new RegExp(String.raw`\b(?:as|interval[${WHITE_SPACE}]+[\w.'"-]+)[${WHITE_SPACE}]+$`, 'i');

function complete(
  context: CompletionContext,
  sandbox: Sandbox,
  fixed: readonly Completion[],
): CompletionResult | null {
  const word = context.matchBefore(/[\w.]*/);
  if (word === null || (word.text === '' && !context.explicit) || /^\.?\d/.test(word.text)) return null;
  if (NO_NAMES.test(syntaxTree(context.state).resolveInner(context.pos, -1).name)) return null;
  const text = context.state.doc.toString();
  if (NEW_NAME.test(text.slice(Math.max(0, word.from - LOOK_BACK), word.from))) return null;
  const tables = tablesRead(text, sandbox);
  const [alias = ''] = word.text.split('.');
  const aliased = word.text.includes('.') ? tables.get(alias) : undefined;
  if (aliased !== undefined)
    return { from: word.from + alias.length + 1, options: columnOptions([aliased]), validFor: /^[\w.]*$/ };
  const options = [...aliasOptions(aliasesIn(text)), ...columnOptions([...tables.values()]), ...fixed];
  return { from: word.from, options, validFor: /^[\w.]*$/ };
}

/** Characters before the cursor that are enough to recognise AS and INTERVAL. */
const LOOK_BACK = 200;

function columnOptions(tables: readonly Table[]): readonly Completion[] {
  const names = new Map(tables.flatMap(namesOf).map((each) => [each.name, each]));
  return [...names.values()].map(({ name, type }) => ({
    label: name,
    type: 'property',
    detail: type,
    boost: name.includes('.') ? 70 : 80,
  }));
}

/** Names that the query defines come first. */
function aliasOptions(names: readonly string[]): readonly Completion[] {
  return names.map((label) => ({ label, type: 'variable', detail: 'alias', boost: 99 }));
}
