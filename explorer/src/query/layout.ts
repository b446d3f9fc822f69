// Formats single-line SQL for reading: one line per clause of the outermost query, plain identifiers unquoted.

const TOKEN = /'(?:[^'\\]|\\.|'')*'|`[^`]*`|"(?:[^"\\]|\\.)*"|[()]|[^\s()'"`]+|\s+/g;
const CLAUSES = /^(?:FROM|WHERE|PREWHERE|HAVING|LIMIT|GROUP|ORDER|UNION|SELECT)$/i;

export function layOut(sql: string): string {
  let text = '';
  let depth = 0;
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth === 0 && CLAUSES.test(token)) text = `${text.trimEnd()}\n`;
    else if (depth === 0 && token.toUpperCase() === 'AND') text = `${text.trimEnd()}\n  `;
    text += /^`[a-z_]\w*`$/.test(token) ? token.slice(1, -1) : token;
  }
  return text.trim();
}
