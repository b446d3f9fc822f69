// Whether folders have changed, and when: for commands that run again after a change.
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Changes with the contents of the folders and files. */
export async function signatureOf(folders: readonly string[]): Promise<string> {
  const parts = folders.map(async (folder) => {
    const names = (await readdir(folder, { recursive: true }).catch(() => [''])).toSorted();
    const texts = names.map(async (name) => {
      const bytes = await readFile(join(folder, name)).catch(() => Buffer.alloc(0));
      return [name, hash('sha256', bytes)];
    });
    return Promise.all(texts);
  });
  return JSON.stringify(await Promise.all(parts));
}

/** Remembers that something happened until it is heard. */
export interface Bell {
  readonly ring: () => void;
  /** Resolves once `ring` has been called since the last `heard`. */
  readonly heard: () => Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let waiting: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      waiting?.();
    },
    heard: async () => {
      if (!rung) await new Promise<void>((resolve) => (waiting = resolve));
      rung = false;
      waiting = undefined;
    },
  };
}
