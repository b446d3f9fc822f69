// Types that current engines no longer have.

/** The type with its current name: `Object('json')` is JSON. */
export function modernType(type: string): string {
  return type
    .replace(/\bObject\s*\(\s*'(?:json|Nullable\(json\))'\s*\)/gi, 'JSON')
    .replace(/\bObject\s*\(\s*Nullable\s*\(\s*'json'\s*\)\s*\)/gi, 'JSON');
}
