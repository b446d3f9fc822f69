// LQL for the editor: syntax highlighting, and completion clause by clause.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { LanguageSupport, StreamLanguage, type StringStream } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { PATH_SOURCE } from '../../../src/sql/lql/clause-context.ts';
import type { Sandbox } from '../service/listing.ts';
import { suggestionsAt, type SuggestionKind } from './lql-completion.ts';
import { tableOfLql } from './vocabulary.ts';

interface State {
  /** It is true if a clause's name has been read and its value is expected. */
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
  if (state.isValue && stream.match(/^(?:true|false|NULL|now|today|yesterday)(?=[\s|)]|$)/)) return 'atom';
  if (stream.match(/^(?:count|countd|avg|sum|min|max|p50|p95|p99|group_by)(?=\()/)) return 'keyword';
  if (stream.match(/^(?:last|this)(?=@)/)) return 'keyword';
  if (stream.match(/^\d[\w:.+-]*?(?=\.\.|[\s|)]|$)/)) return 'number';
  if (state.isValue && stream.match(/^[(|)]/)) return 'operator';
  if (stream.match(/^[A-Za-z_][\w.]*/)) return state.isValue ? 'variableName' : 'string';
  stream.next();
  return null;
}

const LQL = StreamLanguage.define<State>({ name: 'lql', startState: () => ({ isValue: false }), token });

const TYPES: Readonly<Record<SuggestionKind, string>> = {
  clause: 'keyword',
  field: 'property',
  operator: 'keyword',
  value: 'constant',
  time: 'constant',
  table: 'class',
  chart: 'function',
};

export function lqlLanguage(sandbox: Sandbox): Extension {
  const autocomplete = (context: CompletionContext): CompletionResult | null => complete(context, sandbox);
  return [new LanguageSupport(LQL), LQL.data.of({ autocomplete })];
}

function complete(context: CompletionContext, sandbox: Sandbox): CompletionResult | null {
  const text = context.state.doc.toString();
  const found = suggestionsAt(text, context.pos, {
    table: tableOfLql(text, sandbox),
    tables: (sandbox.tables ?? []).map(({ name }) => name),
    valuesOf: () => [],
  });
  if (
    found === undefined ||
    (found.from === context.pos && !context.explicit && !isAfterHead(text, context.pos))
  )
    return null;
  const options = found.options.map(({ kind, label, detail, insert }, index): Completion => ({
    label,
    type: TYPES[kind],
    apply: insert,
    ...(detail === undefined ? {} : { detail }),
    // Suggestions that match alike keep their order: clauses come before the many fields.
    boost: kind === 'field' ? 0 : Math.max(1, 90 - index),
  }));
  return { from: found.from, options, validFor: /^[\w.@"/-]*$/ };
}

function isAfterHead(text: string, at: number): boolean {
  return /[:(|]$/.test(text.slice(0, at));
}
