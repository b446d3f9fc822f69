// Placeholders such as `${NAME}` in the settings file, replaced by environment variables.
import type { Finding } from '../../sql/base/finding.ts';
import type { YamlDocument } from './yaml-document.ts';

/** What may replace the placeholders of a file. */
export interface FileVariables {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variables that the person who runs the command has named; undefined: all. */
  readonly named: readonly string[] | undefined;
  /** Settings that are not used if their variable is not named. */
  readonly isUnused: (key: string) => boolean;
}

/** The mapping of a file after its placeholders are replaced. */
export interface FilledFile {
  readonly value: unknown;
  /** Settings as written, whose variables are not read. */
  readonly unread: Readonly<Record<string, string>>;
  /** The text of settings with placeholders that were replaced, by key. */
  readonly filled: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
}

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces `${NAME}` in the strings of a flat mapping. A message has the name of a variable, never its value. */
export function fillFile(document: YamlDocument, variables: FileVariables): FilledFile {
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { value: value ?? {}, unread: {}, filled: new Map(), findings: [] };
  const entries: [string, unknown][] = [];
  const unread: [string, string][] = [];
  const filled = new Map<string, string>();
  const findings: Finding[] = [];
  for (const [key, item] of Object.entries(value) as [string, unknown][]) {
    const names =
      typeof item === 'string' ? [...item.matchAll(PLACEHOLDER)].map(([, name = '']) => name) : [];
    if (typeof item !== 'string' || names.length === 0) {
      entries.push([key, item]);
    } else if (variables.isUnused(key) && !names.every((name) => isNamed(name, variables))) {
      unread.push([key, item]);
    } else {
      findings.push(...names.flatMap((name) => withoutValue({ document, key, name }, variables)));
      filled.set(key, item);
      entries.push([key, item.replace(PLACEHOLDER, (_, name: string) => variables.env[name] ?? '')]);
    }
  }
  return { value: Object.fromEntries(entries), unread: Object.fromEntries(unread), filled, findings };
}

/** The findings of the file after its placeholders are replaced, without values of variables in their messages. */
export function withoutValues(
  findings: readonly Finding[],
  document: YamlDocument,
  { filled }: Pick<FilledFile, 'filled'>,
): readonly Finding[] {
  const places = [...filled].map(([key, text]) => ({ key, text, ...document.locate([key]) }));
  return findings.map((finding) => {
    const place = places.find(({ line, column }) => line === finding.line && column === finding.column);
    if (place === undefined) return finding;
    const { file, line, column, severity, code } = finding;
    const message = `${place.key}: the value of ${place.text} is not valid`;
    return { file, line, column, severity, code, message };
  });
}

function isNamed(name: string, { named }: FileVariables): boolean {
  return named === undefined || named.includes(name);
}

interface Placeholder {
  readonly document: YamlDocument;
  /** The setting whose value has it. */
  readonly key: string;
  readonly name: string;
}

function withoutValue(placeholder: Placeholder, variables: FileVariables): readonly Finding[] {
  const { document, key, name } = placeholder;
  const at = { file: document.file, ...document.locate([key]), severity: 'error' } as const;
  if (!isNamed(name, variables)) {
    const message = `the environment variable ${name} is not read, since a change under review could ask for any variable`;
    const hint = `Name it where the command runs: ${nameIt(name)}; or write the value in place of \${${name}}`;
    return [{ ...at, code: 'settings.unnamed_variable', message, hint }];
  }
  if (variables.env[name] !== undefined) return [];
  const message = `the environment variable ${name} is not set`;
  const hint = `Set ${name}, or write the value in place of \${${name}}`;
  return [{ ...at, code: 'settings.missing_variable', message, hint }];
}

/** How the person who runs a command lets files read a variable. */
export function nameIt(variable: string): string {
  return `--variables ${variable}, or MILLRACE_VARIABLES=${variable}`;
}
