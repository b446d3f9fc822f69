// Names of subcolumns as the engine prints them: `a.:\`Array(JSON)\`.b`, `a.^\`b\`.c`, `a[].b`.

/** A type after a path, and the mark of a subobject before a key. */
const TYPE = /(?:^|\.):(?:`[^`]*`|\w+)/g;
const SUBOBJECT = /(^|\.)\^(?:`([^`]*)`)?/g;

/** The path of keys that a name of a subcolumn reads: without types and marks of subobjects and arrays. */
export function plainPath(name: string): string {
  if (!/[:^[]/.test(name)) return name;
  const keys = name.replaceAll(TYPE, '').replaceAll(SUBOBJECT, '$1$2').replaceAll('[]', '');
  return keys.startsWith('.') ? keys.slice(1) : keys;
}

/** Returns whether a name has backquotes only as the engine writes them around types and keys. */
export function hasPlainQuotes(name: string): boolean {
  return !name.replaceAll(/\.[:^]`[^`]*`/g, '').includes('`');
}

/** A part of a path that is a type, as in `value.String` of a Dynamic or Variant column. */
const TYPE_PART =
  /^(?:Array|Bool|Date|Decimal|Dynamic|Enum|FixedString|Float|IPv|JSON|LowCardinality|Map|Nullable|String|Tuple|U?Int|UUID|Variant)/;

/**
 * The paths that a plain path of a stored column may mean: in a Dynamic or Variant column, a part may be a type; in a Map, `key_x` is the
 * value of a key, and `values` are those of all keys.
 */
export function possiblePaths(path: string): readonly string[] {
  const [column = '', ...parts] = path.split('.');
  const named = parts.filter((part) => !TYPE_PART.test(part));
  const whole = named.at(-1) === 'values' ? [named.slice(0, -1)] : [];
  const keys = named.map((part) => part.replace(/^key_/, ''));
  return [...new Set([parts, named, keys, ...whole].map((each) => [column, ...each].join('.')))];
}
