// The folder of a tool says this of its templates.
import type { Syntax } from './nodes.ts';
import type { Declaration, TemplateDialect } from './template.ts';
import type { Unrolled } from './unroll.ts';

export interface TemplateReading {
  readonly dialect: TemplateDialect;
  readonly declarations: readonly Declaration[];
}

export interface TemplateReader {
  readonly syntax: (text: string, reading: TemplateReading) => Syntax;
  /** The text with what produces more than its place: loops, macros that write a whole query. */
  readonly expand?: (text: string, reading: TemplateReading) => Unrolled | undefined;
}
