// Functions that write values as JSON.
import { taking } from '../behaviour.ts';
import type { Application, Rule, Rules } from '../function.ts';
import { bySize } from '../json-literal.ts';
import { arrayText, jsonTextOf, objectText, type JsonTextOptions } from '../json-text.ts';
import { sql } from '../sql.ts';
import { isKind, value } from '../value.ts';

const textOptions = ({ at: place, context, call }: Application): Omit<JsonTextOptions, 'quotesWide'> => ({
  at: place,
  context,
  ...(/jsonb/.test(call.name) ? { comma: ', ' } : {}),
});

/** Arguments after the first have another meaning: `to_json_string(x, true)` is indented. */
function checkPlain({ call, fail }: Application): void {
  const [, more, extra] = call.args;
  const isPlain = more === undefined || (more.kind === 'boolean' && !more.value);
  if (!isPlain || extra !== undefined) fail(`${call.name} is supported with one argument`);
}

/** NULL becomes `null`. */
export const toJsonNull: Rule = (application) => {
  checkPlain(application);
  return value(
    'json',
    jsonTextOf(application.arg(0), { ...textOptions(application), quotesWide: false }),
    false,
  );
};

/** NULL stays NULL. */
const toJson: Rule = (application) => {
  const own = application.arg(0);
  const { sql: written } = toJsonNull(application);
  const { isNullable } = own.type;
  return value('json', isNullable ? sql`if(isNull(${own.sql}), NULL, ${written})` : written, isNullable);
};

const toJsonString: Rule = (application) => {
  checkPlain(application);
  return value(
    'text',
    jsonTextOf(application.arg(0), { ...textOptions(application), quotesWide: true }),
    false,
  );
};

const buildArray: Rule = (application) =>
  value('json', arrayText(application.all(), { ...textOptions(application), quotesWide: false }), false);

const buildObject: Rule = (application) => {
  const { call, arg, fail } = application;
  if (call.args.length % 2 === 1) return fail(`${call.name} is converted with pairs of a name and a value`);
  const members = call.args.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    if (name.kind !== 'string') return fail(`${call.name} is converted with literal names`);
    return [{ name: name.value, value: arg(index + 1) }];
  });
  if (new Set(members.map(({ name }) => name)).size < members.length)
    return fail(`${call.name} is converted with different names`);
  // PostgreSQL's jsonb has its names in an order of its own, and its json has spaces around the colon.
  const ordered =
    call.name === 'jsonb_build_object' ? members.toSorted((a, b) => bySize(a.name, b.name)) : members;
  const colon = call.name === 'json_build_object' ? { colon: ' : ' } : {};
  return value(
    'json',
    objectText(ordered, { ...textOptions(application), quotesWide: false, ...colon }),
    false,
  );
};

/** JSON_QUOTE, of strings only. */
const jsonQuoted: Rule = (application) => {
  const own = application.arg(0);
  if (!isKind(own, 'text', 'null')) return application.fail('json_quote is converted only for strings');
  return { ...toJson(application), type: { kind: 'text', isNullable: own.type.isNullable } };
};

export const JSON_WRITING_FUNCTIONS: Rules = taking(
  'any',
  {
    json_quote: jsonQuoted,
    to_json: toJson,
    to_jsonb: toJson,
    to_json_string: toJsonString,
    json_array: buildArray,
    json_build_array: buildArray,
    jsonb_build_array: buildArray,
    json_object: buildObject,
    json_build_object: buildObject,
    jsonb_build_object: buildObject,
  },
  'decide',
  undefined,
  'decide',
);
