// Findings of files with `pii: { at: source }` whose query does not work over redacted tables.
import type { Engine } from '../engine/engine.ts';
import { engineSentence } from '../engine/engine-sentence.ts';
import type { RuleFinding } from './analysis.ts';
import type { InspectedFile } from './compile.ts';
import { createDescribe } from './describe.ts';
import { SourceError } from './source-query.ts';

/** A finding if the query cannot be redacted at the source although the file wants it. Rejects with EngineError. */
export async function findSourceFault(
  engine: Engine,
  { candidate: { endpoint } }: Pick<InspectedFile, 'candidate'>,
): Promise<readonly RuleFinding[]> {
  if (endpoint.redaction.at !== 'source') return [];
  const describe = createDescribe(engine);
  if ((await describe.source(endpoint)) !== undefined) return [];
  const cause = describe.sourceFailure(endpoint);
  if (!(cause instanceof SourceError)) throw cause;
  return [
    {
      code: 'pii.source_not_redacted',
      path: ['pii', 'at'],
      message: `the query does not work over redacted tables: ${engineSentence(cause.message)}`,
      hint: 'Name tables by an alias, read only stored columns that no rule drops, and no computed ones (ALIAS, MATERIALIZED)',
    },
  ];
}
