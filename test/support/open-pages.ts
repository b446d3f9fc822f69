// The pages that the browser tests of a file have open: what they show is part of the message of a test that fails.
import type { Page } from 'playwright-core';

interface Open {
  readonly page: Page;
  readonly complaints: readonly string[];
}

const open = new Set<Open>();

export function addPage(added: Open): void {
  open.add(added);
  added.page.once('close', () => open.delete(added));
}

/** The addresses, errors, and contents of all pages, with open dialogs, as lines; empty if there are none. */
export async function openPages(): Promise<string> {
  const pages = [...open].map(async ({ page, complaints }) => {
    const parts = await page.locator('dialog[open], main').all();
    const contents = parts.map((part) => part.ariaSnapshot({ timeout: 5000 }).catch(String));
    const shown = (await Promise.all(contents)).map((each) => each.slice(0, MAX_CHARACTERS));
    return ['', `Page ${page.url()}`, ...complaints, ...shown].join('\n');
  });
  return (await Promise.all(pages)).join('\n');
}

const MAX_CHARACTERS = 3000;
