// Types that current engines no longer have.
import { hasType } from './traits.ts';
import { changeArguments, parseDeclaredType, printType, typeOf, type ClickHouseType } from './type.ts';

/** The type with its current name: `Object('json')` is JSON. */
export function modernType(type: string): string {
  const parsed = parseDeclaredType(type);
  return hasType(parsed, isObject) ? printType(withoutObjects(parsed)) : type;
}

function isObject({ name }: ClickHouseType): boolean {
  return name.toLowerCase() === 'object';
}

function withoutObjects(type: ClickHouseType): ClickHouseType {
  return isObject(type) ? typeOf('JSON') : changeArguments(type, withoutObjects);
}
