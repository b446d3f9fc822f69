// Answers a statement by its kind: its names and placeholders are resolved, and the database that it reads decides who answers it.
import { Problem } from '../../../sql/base/problem.ts';
import { answerEndpoint } from './answer-endpoint.ts';
import { answerVirtual } from './answer-virtual.ts';
import type { Answering } from './answering.ts';
import type { ClickHouseAnswer } from './call.ts';
import { readCommand } from './commands.ts';
import { applyEdits } from './edited-text.ts';
import { substitute } from './placeholders.ts';
import { resolveQuery } from './resolved-query.ts';
import type { SentStatement } from './statement.ts';
import { inText, type Request } from './request.ts';
import { answerSet, answerUse } from './settings-statements.ts';

export async function answerStatement(
  answering: Answering,
  request: Request,
  statement: SentStatement,
): Promise<ClickHouseAnswer> {
  const { kind, text, sql, word } = statement;
  switch (kind) {
    case 'select':
      return answerSelect(answering, request, statement);
    case 'show':
    case 'describe':
    case 'exists':
    case 'kill': {
      const { edits, used } = substitute(sql, request.content.parameters);
      const edited = applyEdits(text, [...statement.edits, ...edits]);
      return inText(text, edited, async () => {
        const command = readCommand(edited.text, request);
        return answerVirtual(answering, request, { kind: 'command', command, text: edited.text, used });
      });
    }
    case 'set':
      return answerSet(answering, request, statement);
    case 'use':
      return answerUse(answering, request, statement);
    case 'explain':
    case 'check':
    case 'transaction': {
      throw new Problem('clickhouse.statement_unsupported', {
        detail: `${word} is not supported`,
        ...(kind === 'explain'
          ? {
              hint: 'Plans name tables and conditions behind the database; DESCRIBE (SELECT …) has the columns of a query.',
            }
          : {}),
      });
    }
  }
}

/** Which database a query reads decides who answers it. */
async function answerSelect(
  answering: Answering,
  request: Request,
  { text, sql, edits }: SentStatement,
): Promise<ClickHouseAnswer> {
  const values = substitute(sql, request.content.parameters);
  const substituted = applyEdits(text, [...edits, ...values.edits]);
  return inText(text, substituted, async () => {
    const { resolved, named } = resolveQuery(answering, request, substituted.text);
    return inText(substituted.text, resolved, () => {
      const query = { text: resolved.text, used: values.used };
      if (named?.database.kind === 'endpoint') {
        const { endpoint } = named.database;
        return answerEndpoint(answering, request, { ...query, endpoint, parameters: named.parameters });
      }
      return answerVirtual(answering, request, {
        kind: 'select',
        ...query,
        database: named?.database.name,
      });
    });
  });
}
