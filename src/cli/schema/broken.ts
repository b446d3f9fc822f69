// Explains errors of endpoints by the statements of the schema that were not carried out.
import type { Finding } from '../../sql/base/finding.ts';
import type { LoadedSchema } from './load-schema.ts';

/** The finding; if it names a table that could not be created, with the location and reason. */
export function explainBroken(finding: Finding, { broken }: Pick<LoadedSchema, 'broken'>): Finding {
  const reason = brokenIn(finding.message, broken);
  return reason === undefined ? finding : { ...finding, hint: reason };
}

/** Why a table that a message names does not exist; undefined if it names none of those. */
function brokenIn(message: string, broken: LoadedSchema['broken']): string | undefined {
  const names = message.replaceAll('`', '');
  for (const [name, { file, line, column, message: why }] of broken) {
    const isNamed = name.endsWith('.') ? names.includes(` ${name.slice(0, -1)}`) : hasName(names, name);
    if (isNamed) return `${why} (${file}:${line}:${column})`;
  }
  return undefined;
}

/** Whether it occurs as a whole name. */
function hasName(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && !/[\w.]/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + name.length));
}
