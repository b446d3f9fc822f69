// Hints about queries as models write them, which the messages of the sandbox do not cover.
import { Problem } from '../../../../sql/base/problem.ts';
import { plainSpaces } from '../../../../sql/clickhouse/white-space.ts';

interface Pattern {
  readonly matches: RegExp;
  readonly hint: string;
}

/** The first that matches the query applies. Each expression is linear. */
const PATTERNS: readonly Pattern[] = [
  {
    matches: /^\s*(?:show|desc|describe)\b/i,
    hint: 'The tool describe_tables lists tables and columns. A query is a single SELECT.',
  },
  {
    matches: /^\s*explain\b/i,
    hint: 'Send the SELECT alone to the tool explain, which checks it without running it.',
  },
  {
    matches: /\b(?:information_schema|system)\s*\./i,
    hint: 'There are no system tables: the tool describe_tables lists tables, columns and paths.',
  },
  { matches: /^\s*```/, hint: 'Send the query alone, without the Markdown fence (```).' },
];

/** Runs a tool with a query; its problems have the hint for what is wrong with the query, if there is one. */
export async function withQueryHints<T>(query: string | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Problem && error.code === 'request.parameters_invalid') throw asMembers(error);
    const isQuery = error instanceof Problem && /^(?:sandbox|bigquery|query|lql)\./.test(error.code);
    if (!isQuery) throw error;
    const start = plainSpaces((query ?? '').slice(0, 65_536));
    const found = PATTERNS.find(({ matches }) => matches.test(start));
    if (found === undefined) throw error;
    const { code, message: detail, errors, cause } = error;
    throw new Problem(code, { detail, errors, hint: found.hint, cause });
  }
}

const ARGUMENTS: ReadonlySet<string | undefined> = new Set(['sql', 'lql', 'dialect', undefined]);

/** Parameters of the endpoint are members of an argument of the tool. */
function asMembers({ code, errors, cause }: Problem): Problem {
  const placed = errors.map((each) =>
    ARGUMENTS.has(each.parameter) ? each : { ...each, parameter: `parameters.${each.parameter}` },
  );
  return new Problem(code, { errors: placed, cause });
}
