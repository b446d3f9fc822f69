// Reads SQL with the placeholders and templates of other tools, and returns SQL with parameters.
import { type TemplateTool, MAX_TEMPLATE_LENGTH, type Template, type TemplateOptions } from './template.ts';
import type { ConversionNote } from '../../../sql/dialects/conversion.ts';
import { readNodes, type ItemNote, type NodeSource } from './nodes.ts';
import { join, type PlacedUse } from './output.ts';
import { declareParameters } from './parameters.ts';
import { renderTemplate } from './render.ts';
import { note, type Rendering } from './rendering.ts';
import { TEMPLATE_READERS } from './tool-readers.ts';

/** As in `schemas/endpoint.schema.json`. */
const MAX_PARAMETERS = 100;

/**
 * The text as a template of the tool, or of the one that its placeholders belong to. Values are never spliced into the
 * SQL; a part that cannot be expressed is a note, and an undeclared parameter, so that the result is not a valid query.
 * Linear in the length of the text. Never throws.
 */
export function readPlaceholders(written: string, options: TemplateOptions): Template {
  if (written.length > MAX_TEMPLATE_LENGTH) {
    const message = `The query is longer than ${MAX_TEMPLATE_LENGTH / 1024} KiB`;
    return failed(written, [{ ...WHOLE, end: written.length, code: 'too_large', message }]);
  }
  const { dialect, declarations = [], prefersParts } = options;
  const reader = TEMPLATE_READERS[options.tool ?? detectTool(written)];
  const reading = { dialect, declarations };
  const { text, sourceOffset: origin } = reader.expand?.(written, reading) ?? {
    text: written,
    sourceOffset: (offset: number) => offset,
  };
  const source: NodeSource = { text, dialect, syntax: reader.syntax(text, reading), prefersParts };
  const { nodes, problem } = readNodes(source);
  if (problem !== undefined) return failed(written, [{ ...WHOLE, end: written.length, ...problem }]);
  const { sink, rendering } = renderTemplate(source, nodes);
  const { sql, uses, sourceOffset } = join(sink.fragments);
  const parameters = declareParameters(sql, uses, {
    withDefaultsInPlace: rendering.withDefaultsInPlace,
    onDropped: (use, type) => note(rendering, { start: use.at, end: use.end }, droppedNote(use, type)),
  });
  if (parameters.length > MAX_PARAMETERS)
    note(
      rendering,
      { start: 0, end: text.length },
      {
        severity: 'not_converted',
        message: `The query has ${parameters.length} parameters; an endpoint has at most ${MAX_PARAMETERS}`,
      },
    );
  return {
    sql: withListComparisons(sql),
    parameters,
    notes: rendering.notes.map((each) => placed(each, origin)).toSorted((a, b) => a.start - b.start),
    sourceOffset: (offset) => origin(sourceOffset(offset)),
    restore: (converted) => restore(converted, rendering, (offset) => lineOf(written, origin(offset))),
  };
}

function droppedNote({ name, value }: PlacedUse, type: string): ItemNote {
  const written = JSON.stringify(value.default);
  return {
    severity: 'differs',
    message: `The default ${written} of ${name} is no value of ${type}, and is left out`,
    hint: 'Write a default, or send the value in each call',
  };
}

function placed(note: ConversionNote, origin: (offset: number) => number): ConversionNote {
  const start = origin(note.start);
  // A note that is longer than a pass of a loop has the end of the loop.
  return {
    ...note,
    start,
    end: Math.max(start, origin(Math.max(note.end - 1, 0)) + Math.min(note.end, 1)),
  };
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

const WHOLE = { severity: 'not_converted', code: 'placeholder', start: 0 } as const;

function failed(text: string, notes: readonly ConversionNote[]): Template {
  return {
    sql: text,
    parameters: [],
    notes,
    isUnreadable: true,
    sourceOffset: (offset) => offset,
    restore: (sql) => sql,
  };
}

/** `= ANY (:x)` of a list; as long as what it replaces, so that offsets stay. */
function withListComparisons(sql: string): string {
  return sql.replace(/= *any *\( *([:@]\w+) *((?:::[\w ]+\[\] *)?)\)/gi, (all, use: string) =>
    `IN (${use})`.padEnd(all.length),
  );
}

/** Adds the reasons to the parts that were not converted, and those that have no place at the end. */
function restore(written: string, { lost, limits }: Rendering, line: (offset: number) => number): string {
  let sql = written.trimEnd();
  for (const [standIn, name] of limits)
    sql = sql.replace(
      new RegExp(`\\bLIMIT\\s+[@:]${standIn}\\b`, 'i'),
      `/* if @${name} */ LIMIT @${name} /* end */`,
    );
  for (const [name, { reason, offset, isPlaced }] of lost) {
    const comment = `/* not converted, line ${line(offset)}: ${reason.replaceAll('*/', '* /')} */`;
    const isFound = isPlaced && new RegExp(`[@:]?\\b${name}\\b`).test(sql);
    sql = isFound
      ? sql.replace(new RegExp(`[@:]?\\b${name}\\b`), () => `${comment} @${name}`)
      : `${sql}\n${comment} @${name}`;
  }
  return sql;
}

const SIGNS: readonly (readonly [RegExp, TemplateTool])[] = [
  [/\$__\w+|\$\{__(from|to|interval)\b/, 'grafana'],
  [/\[\[[^\]]*\{\{|\{\{\s*(snippet\s*:|#\d)/, 'metabase'],
  [
    /^\s*%[ \t]*\r?\n|\{%-?\s*end\s*-?%\}|\{\{-?\s*(String|U?Int\d+|Float\d+|Date|DateTime|DateTime64|Array|Boolean|UUID|column|columns|symbol)\(/,
    'tinybird',
  ],
  [
    /\b(filter_values|url_param|get_filters|current_username|current_user_id|cache_key_wrapper)\s*\(|\b(from_dttm|to_dttm)\b/,
    'superset',
  ],
  [/\{%|\{#|\{\{[^{}]*[('"|]/, 'dbt'],
  [/\{\{\{?\s*[#^/]?\s*[\w. ]+\}\}/, 'redash'],
];

/** The first tool whose signs the text has; driver without any. */
export function detectTool(text: string): TemplateTool {
  return SIGNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'driver';
}
