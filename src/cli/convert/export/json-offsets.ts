// Where the strings that hold SQL are in a JSON text.

/** Keys of the supported exports whose values are SQL, or the titles of items without. */
const KEYS: ReadonlySet<string> = new Set([
  'query',
  'native',
  'rawSql',
  'rawSQL',
  'rawQuery',
  'queryText',
  'sql',
  'compiled_code',
  'raw_code',
  'compiled_sql',
  'raw_sql',
  'expr',
  'title',
  'name',
]);
const MAX_DEPTH = 200;

interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** The strings under these keys, by their path as JSON; quotes included. `text` must be valid JSON. Linear. */
export function stringOffsets(text: string): ReadonlyMap<string, JsonSpan> {
  const found = new Map<string, JsonSpan>();
  const path: (string | number)[] = [];
  const lists: boolean[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      const key = path.at(-1);
      if (expectsKey) path[path.length - 1] = unquoted(text.slice(at, end));
      else if (typeof key === 'string' && KEYS.has(key) && path.length <= MAX_DEPTH)
        found.set(JSON.stringify(path), { start: at, end });
      expectsKey = false;
      at = end - 1;
    } else if (char === '{' || char === '[') {
      lists.push(char === '[');
      path.push(char === '[' ? 0 : '');
      expectsKey = char === '{';
    } else if (char === '}' || char === ']') {
      lists.pop();
      path.pop();
      expectsKey = false;
    } else if (char === ',') {
      const last = path.at(-1);
      if (lists.at(-1) === true && typeof last === 'number') path[path.length - 1] = last + 1;
      expectsKey = lists.at(-1) === false;
    }
  }
  return found;
}

/** The index after the closing quote. */
function stringEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === '"') return end + 1;
  }
  return text.length;
}

function unquoted(source: string): string {
  return source.includes('\\') ? String(JSON.parse(source)) : source.slice(1, -1);
}
