// What is in force, for an operator who asks: settings with their sources, and each endpoint file's version.
import type { LiveCatalog } from '../catalog/live.ts';
import type { Settings } from '../config/settings.ts';
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
  const endpoints = catalog.current().endpoints.map(({ name, id, file, revision }) => {
    const own = findings.filter((finding) => finding.file === file);
    return { name, id, file, revision, ...(own.length === 0 ? {} : { findings: own }) };
  });
  const served = new Set(endpoints.map(({ file }) => file));
  return {
    version: readVersion(),
    settings: settings.shown,
    endpoints,
    not_served: findings.filter(({ file }) => !served.has(file)),
  };
}
