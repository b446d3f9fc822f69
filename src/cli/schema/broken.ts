// Explains errors of endpoints by the statements of the schema that were not carried out.
import type { Finding } from '../../sql/base/finding.ts';

/** It has the finding of each object that could not be created, by `database.name`. */
export type BrokenStatements = ReadonlyMap<string, Finding>;

/** The finding; if it names a table that could not be created, with the location and reason. */
export function explainBroken(finding: Finding, { broken }: { readonly broken: BrokenStatements }): Finding {
  const reason = brokenIn(finding.message, broken);
  return reason === undefined ? finding : { ...finding, hint: reason };
}

/** Returns whether a statement failed because another one had failed for a reason of its own. */
export function isCausedBy(finding: Finding, broken: BrokenStatements): boolean {
  const cause = causeOf(finding.message, broken, new Set([finding]));
  return cause !== undefined && namedIn(cause.message, broken, (other) => other !== cause) === undefined;
}

/** Returns why a table that a message names does not exist: the first cause, if others prevented it. Returns undefined if it names none. */
function brokenIn(message: string, broken: BrokenStatements): string | undefined {
  const cause = causeOf(message, broken, new Set());
  return cause && `${cause.message} (${cause.file}:${cause.line}:${cause.column})`;
}

function causeOf(message: string, broken: BrokenStatements, seen: ReadonlySet<Finding>): Finding | undefined {
  const found = namedIn(message, broken, (other) => !seen.has(other));
  return found && (causeOf(found.message, broken, new Set([...seen, found])) ?? found);
}

function namedIn(
  message: string,
  broken: BrokenStatements,
  isMeant: (finding: Finding) => boolean,
): Finding | undefined {
  const names = message.replaceAll('`', '');
  const isNamed = (name: string): boolean =>
    name.endsWith('.') ? names.includes(` ${name.slice(0, -1)}`) : hasName(names, name);
  return [...broken].find(([name, finding]) => isMeant(finding) && isNamed(name))?.[1];
}

/** Returns whether it occurs as a whole name. */
function hasName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/[\w.]/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + name.length))) return true;
  return false;
}
