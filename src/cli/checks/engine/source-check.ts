// Findings of files with `pii: { at: source }` whose query does not work over redacted tables.
import type { PathFinding } from '../../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { variantsOf, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { createDescribe } from '../../../service/endpoints/describe.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { SourceError } from '../../../service/endpoints/source-query.ts';
import { mergeFindings } from '../../../service/endpoints/variant-findings.ts';

/** A finding if the query cannot be redacted at the source although the file wants it. Rejects with EngineError. */
export async function findSourceFault(
  engine: Engine,
  inspected: InspectedFile,
): Promise<readonly PathFinding[]> {
  if (inspected.candidate.endpoint.redaction.at !== 'source') return [];
  const all: { readonly analysis: InspectedFile['analysis']; readonly findings: readonly PathFinding[] }[] =
    [];
  for (const { analysis, candidate } of variantsOf(inspected))
    all.push({ analysis, findings: await faultsOf(engine, candidate.endpoint) });
  return mergeFindings(all);
}

async function faultsOf(engine: Engine, endpoint: Endpoint): Promise<readonly PathFinding[]> {
  const describe = createDescribe(engine);
  if ((await describe.source(endpoint)) !== undefined) return [];
  const cause = describe.sourceFailure(endpoint);
  if (!(cause instanceof SourceError)) throw cause;
  const { unknown } = cause;
  const guess = unknown && didYouMean(nearest(unknown.path, unknown.columns));
  return [
    {
      code: 'pii.source_not_redacted',
      path: unknown === undefined ? ['pii', 'at'] : ['pii', 'columns', unknown.path],
      onKey: unknown !== undefined,
      message: `the query does not work over redacted tables: ${engineSentence(cause.message)}`,
      hint:
        guess ??
        'Name tables by an alias, read only stored columns that no rule drops, and no computed ones (ALIAS, MATERIALIZED)',
    },
  ];
}
