// LQL for the editor: syntax highlighting, and completion clause by clause.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { LanguageSupport, StreamLanguage, type StringStream } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { PATH_SOURCE } from '../../../src/sql/lql/clause-context.ts';
import { writePath } from '../logs/lql-path.ts';
import type { Sandbox } from '../service/listing.ts';
import { namesOf, tableOfLql } from './vocabulary.ts';

interface State {
  /** Whether a clause's name has been read and its value is expected. */
  isValue: boolean;
}

const PATH_BEFORE_OPERATOR = new RegExp(`^${PATH_SOURCE}(?=:)`);

function token(stream: StringStream, state: State): string | null {
  if (stream.eatSpace()) {
    state.isValue = false;
    return null;
  }
  if (stream.match(/^-(?=\S)/)) return 'operator';
  if (!state.isValue && stream.match(/^[fstc](?=:)/)) return 'keyword';
  if (!state.isValue && stream.match(PATH_BEFORE_OPERATOR)) return 'propertyName';
  if (stream.match(/^:(?:@>~|@>|>=|<=|>|<|~)?|^~|^\.\./)) {
    state.isValue = true;
    return 'operator';
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
  if (state.isValue && stream.match(/^(?:true|false|NULL|now|today|yesterday)(?=\s|$)/)) return 'atom';
  if (stream.match(/^(?:count|countd|avg|sum|min|max|p50|p95|p99|group_by)(?=\()/)) return 'keyword';
  if (stream.match(/^(?:last|this)(?=@)/)) return 'keyword';
  if (stream.match(/^\d[\w:.+-]*?(?=\.\.|\s|$|\))/)) return 'number';
  if (stream.match(/^[A-Za-z_][\w.]*/)) return state.isValue ? 'variableName' : 'string';
  stream.next();
  return null;
}

const LQL = StreamLanguage.define<State>({ name: 'lql', startState: () => ({ isValue: false }), token });

const CLAUSES: readonly (readonly [string, string])[] = [
  ['f:', 'from this table'],
  ['t:', 'time of the row'],
  ['s:', 'show these columns'],
  ['c:', 'chart'],
];
const TIMES: readonly (readonly [string, string])[] = [
  ['last@15m', '15 minutes'],
  ['last@1h', 'one hour'],
  ['last@24h', '24 hours'],
  ['last@7d', 'seven days'],
  ['today', 'since midnight, UTC'],
  ['yesterday', 'the day before'],
  ['this@hour', 'since the hour began'],
  ['this@week', 'since Monday'],
];
const AGGREGATES = ['count', 'countd', 'avg', 'sum', 'min', 'max', 'p50', 'p95', 'p99'];
const BUCKETS = ['minute', 'hour', 'day', 'second'];

export function lqlLanguage(sandbox: Sandbox): Extension {
  const autocomplete = (context: CompletionContext): CompletionResult | null => complete(context, sandbox);
  return [new LanguageSupport(LQL), LQL.data.of({ autocomplete })];
}

function complete(context: CompletionContext, sandbox: Sandbox): CompletionResult | null {
  const clause = context.matchBefore(/\S*/);
  if (clause === null || (clause.text === '' && !context.explicit)) return null;
  const [, head = '', word = ''] = /^(-?(?:[fstc]:(?:\w+\()?(?:t::)?)?)(.*)$/.exec(clause.text) ?? [];
  if (/[~:]/.test(word)) return null;
  const from = clause.from + head.length;
  const options = optionsFor(head.replace(/^-/, ''), context.state.doc.toString(), sandbox);
  return { from, options, validFor: /^[\w.@"/-]*$/ };
}

/** Completions after the beginning of a clause. */
function optionsFor(head: string, text: string, sandbox: Sandbox): readonly Completion[] {
  if (head === 'f:')
    return (sandbox.tables ?? []).map(({ name }) => ({ label: name, type: 'class', detail: 'table' }));
  if (head === 't:') return TIMES.map(([label, detail]) => ({ label, detail, type: 'constant' }));
  if (head === 'c:group_by(t::')
    return BUCKETS.map((label) => ({ label, type: 'constant', apply: `${label})` }));
  if (head === 'c:') return chartOptions();
  if (head.startsWith('c:')) return pathOptions(text, sandbox, ')');
  if (head === 's:') return pathOptions(text, sandbox, '');
  const clauses = CLAUSES.map(([label, detail]): Completion => ({
    label,
    detail,
    type: 'keyword',
    boost: 90,
  }));
  return [...clauses, ...pathOptions(text, sandbox, ':')];
}

function chartOptions(): readonly Completion[] {
  return [
    { label: 'count(*)', detail: 'rows', type: 'function', boost: 90 },
    ...AGGREGATES.map((name): Completion => ({ label: `${name}(`, detail: 'of a field', type: 'function' })),
    ...BUCKETS.map((unit): Completion => ({
      label: `group_by(t::${unit})`,
      detail: `a bucket each ${unit}`,
      type: 'function',
      boost: 80,
    })),
  ];
}

/** Paths in LQL notation: `m.` for `metadata.` */
function pathOptions(text: string, sandbox: Sandbox, end: string): readonly Completion[] {
  const table = tableOfLql(text, sandbox);
  if (table === undefined) return [];
  return namesOf(table).map(({ name, type }) => {
    const label = writePath(name);
    return { label, detail: type, type: 'property', apply: `${label}${end}` };
  });
}
