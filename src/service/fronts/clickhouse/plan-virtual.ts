// Plans commands and queries over virtual tables.
import { queryOf, ROWS_STATEMENT } from './answer-command.ts';
import type { Answering } from './answering.ts';
import type { Command } from './commands.ts';
import type { VirtualScope } from './databases.ts';
import { inOriginal, type EditedText } from './edited-text.ts';
import { inText, type Request } from './request.ts';
import type { Seen } from './virtual/seen.ts';
import type { Planned } from './run-virtual.ts';
import { describeQuery, planText } from './virtual-text.ts';

export type VirtualStatement =
  | { readonly kind: 'select'; readonly text: string; readonly database: VirtualScope | undefined }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly text: string;
      readonly used: ReadonlySet<string>;
    };

interface Asked {
  readonly statement: VirtualStatement;
  readonly seen: Seen;
  readonly signal: AbortSignal;
}

export async function planOf(
  answering: Answering,
  request: Request,
  { statement, seen, signal }: Asked,
): Promise<Planned> {
  if (statement.kind === 'select') return planText(answering, request, { ...statement, seen });
  const { command, used } = statement;
  const answer = await queryOf(command, {
    seen,
    running: answering.running,
    isCompact: request.settings.isCompact,
    describe: (described) => describeQuery(answering, request, { described, used, seen, signal }),
  });
  if (answer.kind === 'virtual') {
    const plan = () => planText(answering, request, { text: answer.text, database: 'system', seen });
    return answer.sent === undefined ? plan() : planSent(answer.sent, plan);
  }
  return {
    statement: { ...ROWS_STATEMENT, sql: answer.sql, key: request.principal.id },
    blame: () => undefined,
  };
}

/** Positions in problems are those of the statement as sent. */
async function planSent(
  { sql, edited }: { readonly sql: string; readonly edited: EditedText },
  plan: () => Promise<Planned>,
): Promise<Planned> {
  const { statement, blame } = await inText(sql, edited, plan);
  const blameSent: Planned['blame'] = (failure) => {
    const problem = blame(failure);
    return problem && inOriginal(problem, sql, edited);
  };
  return { statement, blame: blameSent };
}
