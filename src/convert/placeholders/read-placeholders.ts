// Reads SQL with the placeholders and templates of other tools, and returns SQL with parameters.
import type { ConversionNote } from '../../dialects/conversion.ts';
import { detectTool } from './detect-tool.ts';
import { readNodes, type NodeSource, type Syntax } from './nodes.ts';
import { join } from './output.ts';
import { declareParameters } from './parameters.ts';
import { renderTemplate } from './render.ts';
import { note, type Rendering } from './rendering.ts';
import { MAX_TEMPLATE_LENGTH, type Template, type TemplateOptions } from './template.ts';
import { driverSyntax } from '../tools/driver/placeholders.ts';
import { grafanaSyntax } from '../tools/grafana/placeholders.ts';
import { dbtSyntax } from '../tools/dbt/placeholders.ts';
import { supersetSyntax } from '../tools/superset/placeholders.ts';
import { metabaseSyntax } from '../tools/metabase/placeholders.ts';
import { redashSyntax } from '../tools/redash/placeholders.ts';
import { tinybirdSyntax } from '../tools/tinybird/placeholders.ts';

/** As in `schemas/endpoint.schema.json`. */
const MAX_PARAMETERS = 100;

/**
 * The text as a template of the tool, or of the one that its placeholders belong to. Values are never spliced into the
 * SQL; a part that cannot be expressed is a note, and an undeclared parameter, so that the result is not a valid query.
 * Linear in the length of the text. Never throws.
 */
export function readPlaceholders(text: string, options: TemplateOptions): Template {
  if (text.length > MAX_TEMPLATE_LENGTH) {
    const message = `The query is longer than ${MAX_TEMPLATE_LENGTH / 1024} KiB`;
    return failed(text, [{ ...WHOLE, end: text.length, code: 'too_large', message }]);
  }
  const { dialect, declarations = [], tool = detectTool(text) } = options;
  const source: NodeSource = { text, dialect, syntax: syntaxOf(text, { ...options, tool, declarations }) };
  const { nodes, problem } = readNodes(source);
  if (problem !== undefined) return failed(text, [{ ...WHOLE, end: text.length, ...problem }]);
  const { sink, rendering } = renderTemplate(source, nodes);
  const { sql, uses, sourceOffset } = join(sink.fragments);
  const parameters = declareParameters(sql, uses, rendering.withDefaultsInPlace);
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
    notes: rendering.notes.toSorted((a, b) => a.offset - b.offset),
    sourceOffset,
    restore: (written) => restore(written, rendering),
  };
}

const WHOLE = { severity: 'not_converted', code: 'placeholder', offset: 0 } as const;

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

function syntaxOf(text: string, { tool = 'driver', dialect, declarations = [] }: TemplateOptions): Syntax {
  switch (tool) {
    case 'metabase':
      return metabaseSyntax(text, dialect, declarations);
    case 'superset':
      return supersetSyntax(text, declarations);
    case 'grafana':
      return grafanaSyntax(text, dialect, declarations);
    case 'tinybird':
      return tinybirdSyntax(text, declarations);
    case 'redash':
      return redashSyntax(text, declarations);
    case 'dbt':
      return dbtSyntax(text, declarations);
    case 'driver':
      return driverSyntax(text, dialect);
  }
}

/** `= ANY (:x)` of a list; as long as what it replaces, so that offsets stay. */
function withListComparisons(sql: string): string {
  return sql.replace(/= *any *\( *([:@]\w+) *((?:::[\w ]+\[\] *)?)\)/gi, (all, use: string) =>
    `IN (${use})`.padEnd(all.length),
  );
}

/** Adds the reasons to the parts that were not converted, and those that have no place at the end. */
function restore(written: string, { lost, source }: Rendering): string {
  let sql = written.trimEnd();
  for (const [name, { reason, offset, isPlaced }] of lost) {
    const line = source.text.slice(0, offset).split('\n').length;
    const comment = `/* not converted, line ${line}: ${reason.replaceAll('*/', '* /')} */`;
    const isFound = isPlaced && new RegExp(`[@:]?\\b${name}\\b`).test(sql);
    sql = isFound
      ? sql.replace(new RegExp(`[@:]?\\b${name}\\b`), () => `${comment} @${name}`)
      : `${sql}\n${comment} @${name}`;
  }
  return sql;
}
