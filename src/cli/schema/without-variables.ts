// Statements with placeholders that no variable replaces.
import type { Finding } from '../../sql/base/finding.ts';
import { variableFinding } from './findings.ts';
import type { SchemaStatement } from './script.ts';
import type { Normalised } from './step.ts';
import { unfilled, unfilledInForm } from './templates.ts';

/** The finding about a placeholder, and whether the statement is not carried out for it. */
export interface MissingVariable {
  readonly finding: Finding | undefined;
  readonly isLost: boolean;
}

/** Checks what the engine would get, not what is written: a placeholder in a part that is left out changes nothing. */
export function withoutVariables(statement: SchemaStatement, result: Normalised): MissingVariable {
  const written = unfilled(statement.sql);
  if (written.length === 0 || result.kind === 'skip') return { finding: undefined, isLost: false };
  const used = result.kind === 'step' ? result.attempts.flatMap(unfilledInForm) : written;
  const first = used.find(({ isString }) => !isString) ?? used[0];
  if (first === undefined) return { finding: undefined, isLost: false };
  const isSame = ({ name, isString }: typeof first): boolean =>
    name === first.name && isString === first.isString;
  const finding = variableFinding(statement, written.find(isSame) ?? first);
  return { finding, isLost: !first.isString };
}
