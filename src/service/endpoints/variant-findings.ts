// Findings about the variants of a query: each once, with the choices and parameters that it depends on.
import { mergeEqual, type PathFinding } from '../../sql/base/finding.ts';
import type { Analysis } from './analysis.ts';
import { decisionsOf } from './variant-query.ts';

/** What was found about one variant. */
interface VariantFindings<F> {
  readonly analysis: Pick<Analysis, 'selection' | 'source'>;
  readonly findings: readonly F[];
}

/** The findings of a check about all variants of a file. */
export function overVariants(
  { variants }: Pick<Analysis, 'variants'>,
  check: (variant: Analysis) => readonly PathFinding[],
): readonly PathFinding[] {
  return mergeFindings(variants.map((analysis) => ({ analysis, findings: check(analysis) })));
}

/** Each finding once; if not all variants have it, the message says which ones do. */
export function mergeFindings<F extends { readonly message: string }>(
  all: readonly VariantFindings<F>[],
): readonly F[] {
  const [only] = all;
  if (only === undefined || all.length === 1) return only?.findings ?? [];
  const decisions = all.map(({ analysis }) =>
    decisionsOf(analysis.source.template.pieces, analysis.selection),
  );
  const found = all.flatMap(({ findings }, index) => findings.map((each) => [each, index] as const));
  return mergeEqual(found, (variants) =>
    variants.size === all.length ? undefined : condition(decisions, variants),
  );
}

type Decisions = ReadonlyMap<string, string>;

/** What these variants have in common, if no other variant has it, otherwise the first of them as an example. */
function condition(decisions: readonly Decisions[], variants: ReadonlySet<number>): string | undefined {
  const [first = 0] = variants;
  const own = [...(decisions[first] ?? [])];
  if (own.length === 0) return undefined;
  const isExact = (some: Decision[]): boolean =>
    decisions.every(
      (each, index) => some.every(([name, decision]) => each.get(name) === decision) === variants.has(index),
    );
  const deciding = own.find((each) => isExact([each]));
  if (deciding !== undefined) return decisionText(deciding);
  const common = own.filter(([name, decision]) =>
    [...variants].every((index) => decisions[index]?.get(name) === decision),
  );
  const pair = common
    .flatMap((one, index) => common.slice(index + 1).map((other) => [one, other]))
    .find((each) => isExact(each));
  const known = pair ?? (common.length > 0 && isExact(common) ? common : undefined);
  return `${known === undefined ? 'for example ' : ''}${(known ?? own).map(decisionText).join(', ')}`;
}

type Decision = readonly [name: string, decision: string];

function decisionText([name, decision]: Decision): string {
  return decision.startsWith('=') ? `with ${name}${decision}` : `${decision} ${name}`;
}
