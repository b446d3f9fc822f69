// Finds the changes that `millrace cost` proposes for an endpoint of the folder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../service/config/settings.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { isRejectionExpected } from '../../../service/endpoints/expectation.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { existingSchema } from '../../kit/schema-options.ts';
import { costsOf, type CostDeps } from '../cost/costs-of.ts';
import { readSizes } from '../cost/inputs.ts';
import { chosenCases } from '../test/choose.ts';
import { createReadFiles, shortPath } from '../test/endpoint-files.ts';

/** They are findings, or why there are none. */
export type EndpointChanges = { readonly findings: readonly Finding[] } | { readonly reason: string };

/** Rejects with CommandError if the schema cannot be read. */
export async function changesFor(
  endpoint: string,
  settings: Settings,
  deps: CostDeps & CommandDeps,
): Promise<EndpointChanges> {
  const { endpoints } = settings;
  if (!existsSync(endpoints)) return { reason: `there is no folder ${endpoints}` };
  const schema = existingSchema({}, settings, deps);
  if (schema === undefined)
    return { reason: 'the definitions of the tables are not known (millrace schema pull)' };
  const { files, findings, rollups } = await createReadFiles(endpoints, settings.engineSources)();
  const own = files.filter(({ candidate }) => candidate.endpoint.name === endpoint);
  if (own.length === 0) return { reason: `no file of ${endpoints} has this endpoint` };
  const cases = chosenCases({ files: own, findings }, { names: [], part: undefined }).cases.filter(
    ({ example }) => !isRejectionExpected(example.expect),
  );
  if (cases.length === 0) return { reason: 'the endpoint has no examples' };
  const source = { settings, fixtures: join(endpoints, 'fixtures') };
  const made = { schema, statistics: await readSizes(undefined) };
  const { changes } = await costsOf({ files, rollups, cases }, { ...source, made }, deps);
  return { findings: changes.map((each) => ({ ...each, file: shortPath(each.file) })) };
}
