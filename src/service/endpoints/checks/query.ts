// Checks of the text of the query: what it reads outside of the tables, and parameters written as other tools write them.
import { explainOutside, outsideReads } from '../../../sql/clickhouse/outside-reads.ts';
import { explainPlaceholder, foreignPlaceholders, quotedParameters } from '../foreign-placeholders.ts';
import type { FileChecks } from './check.ts';

export const QUERY_CHECKS: FileChecks = {
  'query.reads_outside': {
    title: 'The query reaches files, the network or programs',
    help: 'The file is not analysed, run or served. Read a table instead. The setting engine_sources (MILLRACE_ENGINE_SOURCES, --engine-sources) names what may be reached: it belongs to the person or the service that runs the files.',
    perVariant: true,
    *check({ bound, inBound }, { engineSources }) {
      for (const read of outsideReads(bound.sql, engineSources, bound.tokens))
        yield { ...inBound(read.start), ...explainOutside(read) };
    },
  },
  'query.foreign_placeholder': {
    title: 'A parameter or template of another tool: {{x}}, ${x}, $x, :x, %(x)s, ?, {% if x %}',
    help: 'Write @name and declare its type under parameters. It is bound as a typed value: write no quotes around it. Templates are not evaluated: the query is the same in all calls, so write optional conditions as (@name IS NULL OR column = @name).',
    inShared: true,
    *check({ file }) {
      const declared = Object.keys(file.parameters ?? {});
      for (const placeholder of foreignPlaceholders(file.query))
        yield {
          path: ['query'],
          offset: placeholder.start,
          ...(placeholder.kind === 'quoted' ? { severity: 'warning' as const } : {}),
          ...explainPlaceholder(placeholder, declared),
        };
    },
  },
  'query.quoted_parameter': {
    title: 'A parameter inside a string',
    help: "In quotes, @name is text. Write @name without quotes, or concat('%', @name, '%').",
    severity: 'warning',
    inShared: true,
    *check({ file }) {
      const declared = new Set(Object.keys(file.parameters ?? {}));
      for (const { start, name, meant } of quotedParameters(file.query, declared)) {
        yield {
          path: ['query'],
          offset: start,
          message: `@${name} in a string is not replaced by the value of the parameter`,
          hint: `Write ${meant.slice(0, 200)}`,
        };
      }
    },
  },
};
