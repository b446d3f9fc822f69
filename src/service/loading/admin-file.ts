// How `millrace load` finds the service that has the data folder open: a file in it, which only the service's user can read.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAside } from '../config/replace-file.ts';

export const ADMIN_FILE = 'admin.json';

export interface AdminAddress {
  /** Base URL of the admin listener. */
  readonly address: string;
  /** Of the requests that change tables; new at each start. */
  readonly key: string;
}

export function writeAdminFile(dataFolder: string, admin: AdminAddress): Promise<void> {
  return writeAside(join(dataFolder, ADMIN_FILE), `${JSON.stringify(admin)}\n`);
}

export async function removeAdminFile(dataFolder: string): Promise<void> {
  await rm(join(dataFolder, ADMIN_FILE), { force: true });
}
