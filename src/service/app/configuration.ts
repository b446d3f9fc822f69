// The effective configuration, for operators: settings with their sources, and each endpoint file's revision.
import { budgetText } from '../config/budget.ts';
import type { LiveCatalog } from '../endpoints/live.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { Settings } from '../config/settings.ts';
import { cacheEntry } from '../fronts/api/listing-entry.ts';
import { readVersion } from './version.ts';

/** Secrets are masked. */
export function configurationOf({
  settings,
  catalog,
}: {
  readonly settings: Settings;
  readonly catalog: LiveCatalog;
}): unknown {
  const findings = catalog.diagnostics();
  const byFile = new Map<string, Finding[]>();
  for (const finding of findings) byFile.set(finding.file, [...(byFile.get(finding.file) ?? []), finding]);
  const endpoints = catalog.current().all.map(({ name, version, id, file, revision, cache, budgets }) => {
    const own = byFile.get(file);
    const budget = Object.fromEntries(budgets.map((each) => [each.resource, budgetText(each)]));
    const described = { name, version, id, file, revision, cache: cacheEntry(cache) };
    return {
      ...described,
      ...(budgets.length === 0 ? {} : { budget }),
      ...(own === undefined ? {} : { findings: own }),
    };
  });
  const served = new Set(endpoints.map(({ file }) => file));
  return {
    version: readVersion(),
    settings: settings.shown,
    endpoints,
    not_served: findings.filter(({ file }) => !served.has(file)),
  };
}
