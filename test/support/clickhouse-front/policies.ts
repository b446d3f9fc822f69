// Row policies and custom settings over the embedded engine. It has no CREATE ROW POLICY and no custom settings, but
// applies the policies of a users file; settings that only formats use hold the custom ones.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Query } from './request.ts';

export interface FrontPolicy {
  readonly database: string;
  readonly table: string;
  readonly condition: string;
}

/** Strings that no query here uses. */
const HOLDERS = ['format_template_row', 'format_template_resultset', 'format_regexp', 'format_schema'];
const CUSTOM = /SQL_millrace_\w+/g;
const CUSTOM_NAME = /^SQL_millrace_/;
const holderOf = new Map<string, string>();

function holder(name: string): string {
  const found = holderOf.get(name) ?? HOLDERS[holderOf.size];
  if (found === undefined) throw new Error('more custom settings than the front can hold');
  holderOf.set(name, found);
  return found;
}

/** Writes a configuration with these policies and returns its path. */
export async function writePolicies(path: string, policies: readonly FrontPolicy[]): Promise<string> {
  const databases = policies.map(({ database, table, condition }) => {
    const filter = condition.replaceAll(CUSTOM, holder).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<${database}><${table}><filter>${filter}</filter></${table}></${database}>`;
  });
  const users = join(resolve(path), 'users.xml');
  await writeFile(
    users,
    `<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users><default>
<password/><profile>default</profile><quota>default</quota><networks><ip>::/0</ip></networks>
<access_management>1</access_management><databases>${databases.join('')}</databases>
</default></users></clickhouse>`,
  );
  const config = join(resolve(path), 'policies.xml');
  await writeFile(config, `<clickhouse><users_config>${users}</users_config></clickhouse>`);
  return config;
}

/** The query with each custom setting replaced by its holder. */
export function withoutCustomSettings(query: Query): Query {
  const settings = Object.entries(query.settings).map(([name, value]) => {
    return [CUSTOM_NAME.test(name) ? holder(name) : name, value] as const;
  });
  const text = query.statement.text.replaceAll(CUSTOM, holder);
  return { ...query, statement: { ...query.statement, text }, settings: Object.fromEntries(settings) };
}
