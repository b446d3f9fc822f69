// The files that a browser loads: small, nothing inline, nothing from other origins.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../dist/explorer');
const LOADED = /\.(?:html|js|css|svg|woff2)$/;
const MAX_BYTES = 260_000;

const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => LOADED.test(name))
  .map((name) => ({ name, body: readFileSync(join(FOLDER, name)) }));
const page = files.find(({ name }) => name === 'index.html')?.body.toString() ?? '';

describe('the built explorer', () => {
  test('is under 260 KB without the editor, compressed', () => {
    const bytes = files
      .filter(({ name }) => !name.includes('editor-'))
      .map(({ body }) => gzipSync(body, { level: 9 }).length)
      .reduce((sum, each) => sum + each, 0);
    expect(files.length).toBeGreaterThan(4);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  test('has no script and no style inside its page', () => {
    expect(page).toMatch(/<script type="module"[^>]+src="\.\/assets\//);
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  test('names only its own files, from where it stands', () => {
    const urls = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url);
    expect(urls.length).toBeGreaterThan(2);
    expect(urls.filter((url) => !url.startsWith('./assets/'))).toEqual([]);
    const styles = files.filter(({ name }) => name.endsWith('.css')).map(({ body }) => body.toString());
    expect(styles.flatMap((text) => text.match(/url\((?!["']?\.\/)[^)]*\)/g) ?? [])).toEqual([]);
  });
});
