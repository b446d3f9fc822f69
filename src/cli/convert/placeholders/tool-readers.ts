// The templates of all tools.
import type { TemplateReader } from './template-reader.ts';
import type { TemplateTool } from './template.ts';
import { withInlineConditions } from './inline-conditions.ts';
import { chained, unrolled, type Unrolled } from './unroll.ts';
import { dbtSyntax, expandModel } from '../tools/dbt/placeholders.ts';
import { driverSyntax } from '../tools/driver/placeholders.ts';
import { expandAltinity } from '../tools/grafana/altinity-statements.ts';
import { grafanaSyntax } from '../tools/grafana/placeholders.ts';
import { expandStatement } from '../tools/grafana/statement-macros.ts';
import { metabaseSyntax } from '../tools/metabase/placeholders.ts';
import { redashSyntax } from '../tools/redash/placeholders.ts';
import { supersetSyntax } from '../tools/superset/placeholders.ts';
import { withLoopConditions } from '../tools/tinybird/loops.ts';
import { tinybirdSyntax } from '../tools/tinybird/placeholders.ts';

export const TEMPLATE_READERS: Readonly<Record<TemplateTool, TemplateReader>> = {
  driver: { syntax: driverSyntax },
  metabase: { syntax: metabaseSyntax },
  superset: { syntax: supersetSyntax, expand: expanded },
  grafana: {
    syntax: grafanaSyntax,
    expand: (text, { declarations }) => expandStatement(text) ?? expandAltinity(text, declarations),
  },
  tinybird: {
    syntax: tinybirdSyntax,
    expand: (text) => chained(text, [withInlineConditions, unrolled, withLoopConditions]),
  },
  redash: { syntax: redashSyntax },
  dbt: { syntax: dbtSyntax, expand: expandModel },
};

function expanded(text: string): Unrolled | undefined {
  return chained(text, [withInlineConditions, unrolled]);
}
