// A rollup, with its expressions read as those of a query are.
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { parseList } from '../../sql/clickhouse/tree/parse-part.ts';
import type { CompiledMeasure } from './measures.ts';
import type { Rollup } from './model.ts';
import { UNREAD } from './term.ts';
import { createTerms } from './terms.ts';

export interface CompiledRollup {
  readonly rollup: Rollup;
  /** The rollup's column by the text of an expression over the source. */
  readonly dimensions: ReadonlyMap<string, string>;
  /** The texts over the source by the rollup's column. */
  readonly expressions: ReadonlyMap<string, string>;
  readonly measures: readonly CompiledMeasure[];
}

const IDENTIFIER = /^`(?:[^`\\]|\\[^])*`$/;

/** Columns under other names are left out: queries read columns under their own. Expressions are compared as texts in which names are quoted and tokens have single spaces between them. */
export function compileRollup(rollup: Rollup): CompiledRollup {
  const dimensions = rollup.dimensions
    .map(({ name, expression }) => [textOf(rollup, expression), name] as const)
    .filter(([text, name]) => isUsable([text, quoteIdentifier(name)]))
    .filter(([text, name]) => !IDENTIFIER.test(text) || text === quoteIdentifier(name));
  return {
    rollup,
    dimensions: new Map(dimensions),
    expressions: new Map(dimensions.map(([text, name]) => [name, text])),
    measures: rollup.measures
      .map((measure) => ({
        measure,
        arguments: measure.arguments.map((argument) => textOf(rollup, argument)),
      }))
      .filter((measure) => isUsable(measure.arguments)),
  };
}

/** Names that begin with `#` are those of columns that are read in place of others. */
function isUsable(texts: readonly string[]): boolean {
  return texts.every((text) => !text.includes(UNREAD) && !text.includes('`#'));
}

function textOf({ time }: Rollup, expression: string): string {
  const tree = parseList(expression);
  const [item] = tree.root.parts;
  const [value = item] = item?.kind === 'order-item' ? item.parts : [];
  if (value === undefined) return quoteIdentifier(expression);
  return createTerms({ tree, time, dimensions: new Map() })(value, undefined).source;
}
