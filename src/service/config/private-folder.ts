// Folders accessible only to the service's own user: the data directory holds the rows of all tenants.
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

const PRIVATE = 0o700;
const OTHERS = 0o077;
const STICKY = 0o1000;
/** At least one of these is in every folder that the service has used. */
const OURS: ReadonlySet<string> = new Set(['engine', 'seeds-state', 'token-use.json', 'millrace.xml']);

/**
 * Creates the folder with mode 0700, or restricts an existing one to it. Not changed, but returned as a warning:
 * folders owned by another user, folders with the sticky bit such as /tmp, and folders with contents but none of ours.
 * `uid`: user of the process; undefined if the system has none.
 */
export async function makePrivateFolder(
  path: string,
  uid: number | undefined = process.getuid?.(),
): Promise<string | undefined> {
  await mkdir(path, { recursive: true, mode: PRIVATE });
  const { mode, uid: owner } = await stat(path);
  if (uid === undefined || (mode & OTHERS) === 0) return undefined;
  const isOurs = owner === uid && (mode & STICKY) === 0 && (await isUsedByUs(path));
  if (isOurs) await chmod(path, PRIVATE);
  return isOurs ? undefined : warning(path, mode);
}

async function isUsedByUs(path: string): Promise<boolean> {
  const names = await readdir(path);
  return names.length === 0 || names.some((name) => OURS.has(name));
}

function warning(path: string, mode: number): string {
  const octal = (mode & 0o7777).toString(8);
  return `The data folder ${resolve(path)} is open to other users (mode ${octal}): use a separate folder with mode 0700`;
}
