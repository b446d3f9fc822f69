// Clauses with OR between them, as other languages have it: the hint is the one clause that means them in LQL.
import type { LqlFinding } from './finding.ts';
import { isForeignOr } from './foreign-operators.ts';
import { MAX_VALUES } from './group.ts';
import { print } from './print.ts';
import type { LqlText } from './source.ts';
import type { Clause, FieldFilter, MessageFilter } from './tree.ts';

/** A piece of a query as written, between white space; without a clause if it is invalid. */
export interface QueryPart {
  readonly start: number;
  readonly end: number;
  readonly clause?: Clause;
}

/** The findings; of an OR between clauses that one clause can replace, with this clause as the hint. */
export function withAlternatives(
  { text, findings }: LqlText,
  parts: readonly QueryPart[],
): readonly LqlFinding[] {
  const isOr = (part: QueryPart | undefined): boolean =>
    part !== undefined && isForeignOr(text.slice(part.start, part.end));
  return findings.map((finding) => {
    const at = parts.findIndex((part) => part.start === finding.start && isOr(part));
    if (at < 0) return finding;
    const [first, last] = [-2, 2].map((step) => {
      let index = at;
      while (isOr(parts[index + step])) index += step;
      return index + step / 2;
    });
    const around = parts.slice(Math.max(0, first ?? 0), (last ?? 0) + 1).filter((part) => !isOr(part));
    const clause = oneOf(around.map((part) => part.clause));
    if (clause === undefined) return finding;
    const word = text.slice(finding.start, finding.end);
    const hint = `write ${print({ clauses: [clause] })}; to search for ${word}, put it in double quotes`;
    return { ...finding, hint };
  });
}

function oneOf(clauses: readonly (Clause | undefined)[]): Clause | undefined {
  const fields = clauses.filter((each) => each?.kind === 'field');
  const messages = clauses.filter((each) => each?.kind === 'message');
  if (clauses.length < 2) return undefined;
  if (fields.length === clauses.length) return oneField(fields);
  return messages.length === clauses.length ? oneMessage(messages) : undefined;
}

function oneField(fields: readonly FieldFilter[]): Clause | undefined {
  const [first] = fields;
  if (first === undefined || (first.operator !== ':' && first.operator !== ':@>')) return undefined;
  const isAlike = ({ path, operator, negated }: FieldFilter): boolean =>
    !negated && operator === first.operator && path.segments.join('\0') === first.path.segments.join('\0');
  if (!fields.every(isAlike)) return undefined;
  const values = fields.flatMap((field) => field.values);
  return values.length > MAX_VALUES ? undefined : { ...first, values };
}

function oneMessage(messages: readonly MessageFilter[]): Clause | undefined {
  const [first] = messages;
  if (first === undefined || messages.some(({ negated }) => negated)) return undefined;
  const texts = messages.map(({ match, value }) => (match === 'regex' ? value.text : escaped(value.text)));
  return { ...first, match: 'regex', value: { ...first.value, text: texts.join('|') } };
}

function escaped(text: string): string {
  return text.replace(/[.?*+()[\]{}|^$\\]/g, String.raw`\$&`);
}
