// ClickHouse SQL as it is written into files.
import { tokenize, type Token } from '../../sql/clickhouse/lexer.ts';

/** Characters that YAML cannot hold as they are would become escapes in one long line; in literals they have a meaning. */
export function printable(sql: string): string {
  const pieces = tokenize(sql).map((token) => {
    const text = sql.slice(token.start, token.end);
    if (isLiteral(token)) return literal(text);
    return token.kind === 'comment' ? plain(text.trimEnd()) : plain(text);
  });
  return pieces.join('').trim();
}

/** The same without empty lines, such as tags of a template leave behind. */
export function printableLines(sql: string): string {
  const text = printable(sql);
  return tokenize(text)
    .map(({ kind, start, end }) => {
      const piece = text.slice(start, end);
      return kind === 'whitespace' ? piece.replace(/\n\s*\n/g, '\n') : piece;
    })
    .join('');
}

function isLiteral({ kind }: Token): boolean {
  return kind === 'string' || kind === 'quoted' || kind === 'heredoc';
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
