// Which of an endpoint's rules for personal data apply to a result column, or to parts of it.
import { foldedName, rulesBelow, type ColumnAction, type ColumnRules } from '../../guard/redact/columns.ts';
import type { SourceSettings } from '../../guard/redact/redactor.ts';
import { plainPath } from '../../guard/redact/subcolumn-name.ts';
import { jsonValueOf } from '../../sql/types/json-value.ts';
import { enumNames, hasType, isEnum } from '../../sql/types/traits.ts';
import {
  changeArguments,
  parseType,
  printType,
  typeArguments,
  typeOf,
  type ClickHouseType,
  type TypeArgument,
} from '../../sql/types/type.ts';

/** `pii` of an endpoint file, or the compiled policy. */
type Pii = { readonly columns?: Readonly<Record<string, ColumnAction>> } | undefined;

/** The action for a column, or for a path in it, as a whole; undefined if none applies. Names are not case-sensitive. */
export function ruleFor(pii: Pii, name: string): ColumnAction | undefined {
  const folded = foldedPath(name);
  const rules = Object.entries(pii?.columns ?? {}).map(
    ([path, action]) => [foldedPath(path), action] as const,
  );
  return rules.find(([path]) => path === folded || folded.startsWith(`${path}.`))?.[1];
}

/** The paths of the rules for parts of a column, without its name. */
export function partRules(pii: Pii, name: string): readonly string[] {
  const start = `${foldedPath(name)}.`;
  const paths = Object.keys(pii?.columns ?? {}).map(plainPath);
  return paths.filter((path) => path.toLowerCase().startsWith(start)).map((path) => path.slice(start.length));
}

/** Names are compared as redaction does: without case, in one Unicode form, and without types in a path. */
export function foldedPath(name: string): string {
  return foldedName(plainPath(name));
}

/**
 * The type of a result column in redacted responses; undefined: it is not in them. What is masked or hashed is text, whatever it was,
 * and an Enum with personal data among its names is the text that it becomes.
 */
export function redactedType(
  { redactor: { source } }: Redaction,
  name: string,
  type: string,
): string | undefined {
  const rules = source?.rules && rulesBelow(source.rules, name);
  const parsed = parseType(type);
  if (rules === undefined && !hasType(parsed, isEnum)) return type;
  const ruled = ruledType(parsed, rules);
  return ruled && printType(withoutNames(ruled, (text) => source?.finds(text) === true));
}

interface Redaction {
  readonly redactor: { readonly source: Pick<SourceSettings, 'rules' | 'finds'> | undefined };
}

function ruledType(type: ClickHouseType, rules: ColumnRules | undefined): ClickHouseType | undefined {
  if (rules === undefined) return type;
  if (rules.action === 'drop') return undefined;
  if (rules.action !== undefined) return canBeNull(type) ? NULLABLE_TEXT : TEXT;
  const list = type.arguments;
  switch (type.name) {
    case 'Map': // the rules are for some of its keys
      return { ...type, arguments: [...(list?.slice(0, 1) ?? []), ...ANY_VALUE] };
    case 'Nullable':
    case 'LowCardinality':
    case 'Array':
    case 'Tuple':
    case 'Nested':
      return { ...type, arguments: list?.flatMap((each) => ruledArgument(each, rules)) };
    default:
      return type;
  }
}

/** Elements of arrays have the rules of the array. */
function ruledArgument(argument: TypeArgument, rules: ColumnRules): readonly TypeArgument[] {
  if (argument.kind !== 'type') return [argument];
  const below = argument.name === undefined ? rules : rulesBelow(rules, argument.name);
  const type = ruledType(argument.type, below);
  return type === undefined ? [] : [{ ...argument, type }];
}

const TEXT = typeOf('String');
const NULLABLE_TEXT = typeOf('Nullable', TEXT);
const ANY_VALUE = typeArguments(typeOf('Map', TEXT, typeOf('Dynamic'))).slice(1);

/** Returns whether a value can be null in JSON, which stays null: also a float that is not finite. */
function canBeNull(type: ClickHouseType): boolean {
  return ['nullable', 'null', 'float', 'any'].includes(jsonValueOf(printType(type)).kind);
}

type Finds = (text: string) => boolean;

function withoutNames(type: ClickHouseType, finds: Finds): ClickHouseType {
  if (enumNames(type).some(finds)) return TEXT;
  return changeArguments(type, (inner) => withoutNames(inner, finds));
}
