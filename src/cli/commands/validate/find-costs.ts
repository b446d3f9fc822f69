// Findings about what calls read, which `millrace validate --cost` reports with the others: those of `millrace cost`.
import { join, resolve } from 'node:path';
import type { Settings } from '../../../service/config/settings.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { budgetOf } from '../../cost/budget.ts';
import type { CommandDeps } from '../../kit/command.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import type { SchemaFlags } from '../../kit/schema-options.ts';
import { chooseCacheFolder } from '../analysis/folder.ts';
import { findCosts } from '../cost/cost.ts';
import { madeOf } from '../cost/inputs.ts';
import { createOutcomeStore } from '../cost/outcome-store.ts';

/** Finds what the calls of examples of some files read. Rejects with CommandError. */
export type FindCosts = (files: ReadonlySet<string>) => Promise<readonly Finding[]>;

interface CostFlags extends SchemaFlags {
  readonly cache?: string | false;
}

/** Files outside of the folder of endpoints have no such findings. */
export function createFindCosts(flags: CostFlags, settings: Settings, deps: CommandDeps): FindCosts {
  return async (files) => {
    const made = await madeOf(flags, settings, deps);
    const { path } = await chooseCacheFolder(flags.cache, deps.env);
    const { endpoints } = settings;
    const chosen = new Set([...files].map((file) => resolve(file)));
    const options = {
      settings,
      endpoints,
      fixtures: join(endpoints, 'fixtures'),
      names: [],
      isChosen: (file: string) => chosen.has(resolve(file)),
      made,
      limits: { rows: budgetOf(settings).rows, earlier: undefined },
    };
    const outcomes = createOutcomeStore(path);
    const { findings } = await findCosts(options, { ...deps, epoch: REAL_TIME.epoch, outcomes });
    return findings;
  };
}
