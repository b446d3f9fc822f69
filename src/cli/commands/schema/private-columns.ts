// Finds the columns that are not measured: those with personal data, and those that separate tenants.
import type { SettingsFile } from '../../../service/config/generated/settings.ts';
import { createInspect } from '../../../service/endpoints/compile.ts';
import { loadFiles } from '../../../service/endpoints/load.ts';
import { ANY_KEY, listEndpointFiles } from '../../kit/endpoint-files.ts';
import { LOADING } from '../../kit/real-time.ts';

export interface PrivateOptions {
  readonly endpoints: string;
  readonly tenancy: SettingsFile['tenancy'];
}

/** Resolves to the names of columns with personal data or the tenant, in any endpoint file. */
export async function readPrivate({ endpoints, tenancy }: PrivateOptions): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>(namesOf(tenancy));
  const inspect = createInspect({ piiHashKey: ANY_KEY, engineSources: 'any' });
  await loadFiles(await listEndpointFiles(endpoints), new Map(), {
    ...LOADING,
    compile: (path, text, sources) => {
      const { inspected, ...loaded } = inspect(path, text, sources);
      const { pii, tenancy: own } = inspected?.analysis.file ?? {};
      for (const name of [...Object.keys(pii?.columns ?? {}), ...namesOf(own)]) hidden.add(name);
      return { candidate: inspected?.candidate, ...loaded };
    },
  });
  return hidden;
}

/** Returns the parameter, which often has the name of its column, and the columns. */
function namesOf(
  tenancy: SettingsFile['tenancy'] | { readonly parameter?: string; readonly columns?: readonly string[] },
): readonly string[] {
  if (tenancy === undefined || typeof tenancy === 'string') return tenancy === undefined ? [] : [tenancy];
  return [...(tenancy.parameter === undefined ? [] : [tenancy.parameter]), ...(tenancy.columns ?? [])];
}

/** Returns true for a column with such a name, for its parts, and for what it is a part of. */
export function isPrivate(column: string, hidden: ReadonlySet<string>): boolean {
  const parts = column.split('.');
  return [...hidden].some(
    (name) =>
      name === column ||
      name.startsWith(`${column}.`) ||
      column.startsWith(`${name}.`) ||
      parts.at(-1) === name,
  );
}
