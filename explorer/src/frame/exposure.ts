// What an endpoint exposes to the holder of the key, in words. Only from the listing, which has nothing else.
import { sandboxOf, type Column, type Endpoint } from '../service/listing.ts';

export interface ExposureFact {
  readonly name: string;
  readonly text: string;
}

/** Rows, columns, tables and redaction, as far as the endpoint has them. */
export function exposureFacts(endpoint: Endpoint): readonly ExposureFact[] {
  const { columns, pii } = endpoint;
  const sandbox = sandboxOf(endpoint);
  const facts: readonly (ExposureFact | undefined)[] = [
    { name: 'Rows', text: rowsText(endpoint) },
    columns === null ? undefined : { name: 'Columns', text: columns.map(columnText).join(', ') },
    sandbox === undefined
      ? undefined
      : {
          name: 'Your queries',
          text: `in ${sandbox.languages.map((each) => each.toUpperCase()).join(' and ')}, over ${(sandbox.tables ?? []).map(({ name }) => name).join(', ')}`,
        },
    {
      name: 'Personal data',
      text: pii.redact
        ? 'detected in strings and redacted in every response to you'
        : 'not redacted, unless a request asks for it',
    },
  ];
  return [...facts, budgetFact(endpoint)].filter((each) => each !== undefined);
}

/** The budget of the endpoint; that of the key is not listed. */
function budgetFact({ limits: { budget } }: Endpoint): ExposureFact | undefined {
  const parts = [
    ...(budget.read === undefined ? [] : [`reading ${budget.read}`]),
    ...(budget.time === undefined ? [] : [`${budget.time} of the engine`]),
  ];
  return parts.length === 0 ? undefined : { name: 'Budget', text: `${parts.join(' and ')}, for your key` };
}

function rowsText({ tenant, parameters }: Endpoint): string {
  if (tenant === null) {
    const locked = parameters.filter((each) => each.locked === true).map(({ name }) => name);
    return locked.length === 0
      ? 'not limited by your key'
      : `limited by ${locked.join(', ')}, fixed by your key`;
  }
  const isLocked = parameters.some(({ name, locked }) => name === tenant && locked === true);
  return isLocked
    ? `of one ${tenant}, fixed by your key`
    : `of the ${tenant} in the request, which may be any`;
}

const ACTIONS = { mask: 'masked', hash: 'hashed', drop: 'left out', parts: 'partly redacted' } as const;

function columnText({ name, redacted }: Column): string {
  return redacted === undefined ? name : `${name} (${ACTIONS[redacted]})`;
}
