// ClickHouse SQL as it is written into files.
import { readRegions, type Region } from './placeholders/source-lexer.ts';

/** Characters that YAML cannot hold as they are would become escapes in one long line; in literals they have a meaning. */
export function printable(sql: string): string {
  return written(sql, (text, { kind }) => {
    if (kind !== 'code' && kind !== 'comment') return literal(text);
    return kind === 'comment' ? plain(text).replace(/ +$/, '') : plain(text);
  }).trim();
}

/** Returns it without the empty lines that tags of a template leave behind. */
export function printableLines(sql: string): string {
  return written(printable(sql), (text, { kind }, before) => {
    if (kind !== 'code') return text;
    const lines = text.replace(/\n\s*\n/g, '\n');
    return before.endsWith('\n') ? lines.replace(/^\s*\n/, '') : lines;
  });
}

function written(sql: string, print: (text: string, region: Region, before: string) => string): string {
  let before = '';
  for (const region of readRegions(sql, 'clickhouse', () => undefined))
    before += print(sql.slice(region.start, region.end), region, before);
  return before;
}

// oxlint-disable-next-line no-control-regex -- these characters are what it replaces
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f\u0085\u2028\u2029\ufeff]/g;

function plain(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\t/g, '  ');
  return lines.replace(UNPRINTABLE, ' ').replace(/ +(?=\n)/g, '');
}

/** Quotes of other kinds have no escapes: what is between them stays as it is. */
function literal(text: string): string {
  if (!/^['"`]/.test(text)) return text;
  return text
    .replace(UNPRINTABLE, bytes)
    .replaceAll('\t', String.raw`\t`)
    .replace(/ (?=\n)/g, String.raw`\x20`);
}

function bytes(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
