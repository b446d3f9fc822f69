// Leaves out files that are the same in both revisions: compiling them takes most of the time, and they have no changes.
import type { FolderFile } from './folders.ts';

type Files = readonly FolderFile[];

/** The files that differ, those that may include one of these, and those that may claim the id or name of one of these. */
export function withoutUnchanged(before: Files, after: Files): readonly [before: Files, after: Files] {
  const [same, other] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))];
  const differing = [
    ...before.filter((file) => !other.has(keyOf(file))),
    ...after.filter((file) => !same.has(keyOf(file))),
  ];
  const claimed = differing.map(claims);
  const isKept = (file: FolderFile, among: ReadonlySet<string>): boolean =>
    !among.has(keyOf(file)) ||
    (differing.length > 0 && mayInclude(file)) ||
    claimed.some((names) => names === undefined || mentions(file, names));
  return [before.filter((file) => isKept(file, other)), after.filter((file) => isKept(file, same))];
}

/** Returns whether it has parts of other files. */
export function mayInclude({ content }: FolderFile): boolean {
  return 'text' in content && /\binclude\b/.test(content.text);
}

function keyOf({ path, content }: FolderFile): string {
  return JSON.stringify([path, content]);
}

const CLAIMS = [/^id: *["']?([\w-]+)["']? *(?:#.*)?$/m, /^name: *["']?([\w.-]+)["']? *(?:#.*)?$/m] as const;

/** The id and name, in lower case; undefined if they are written in an unusual way. */
export function claims({ content }: FolderFile): readonly string[] | undefined {
  if ('unreadable' in content) return undefined;
  const names = CLAIMS.flatMap((pattern) => pattern.exec(content.text)?.[1]?.toLowerCase() ?? []);
  return names.length === CLAIMS.length ? names : undefined;
}

function mentions({ content }: FolderFile, names: readonly string[]): boolean {
  if ('unreadable' in content) return true;
  const text = content.text.toLowerCase();
  return names.some((name) => text.includes(name));
}
