// Reads what `millrace diff` needs to compare what calls read.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../service/config/settings.ts';
import { budgetOf } from '../../cost/budget.ts';
import type { SchemaChoice } from '../../kit/schema-options.ts';
import { DEFAULT_SIZES, readSizes } from '../cost/inputs.ts';
import type { DiffOptions } from './diff.ts';

/** Resolves to undefined if there is no file of sizes. Rejects with CommandError if it is wrong. */
export async function costOf(settings: Settings, schema: SchemaChoice): Promise<DiffOptions['cost']> {
  if (!existsSync(DEFAULT_SIZES)) return undefined;
  const statistics = await readSizes(undefined);
  const fixtures = join(settings.endpoints, 'fixtures');
  return { made: { settings, schema, statistics, fixtures }, growth: budgetOf(settings).growth };
}
