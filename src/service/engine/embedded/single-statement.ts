// Ensures that a string holds a single statement: the embedded engine would run every statement between semicolons.
import { EngineError } from '../engine.ts';

type AskEngine = (sql: string, parameters: Readonly<Record<string, string>>) => Promise<string>;

/** Queries for which a positive result is cached; few contain a semicolon at all. */
const MAX_REMEMBERED = 200;

/**
 * Returns a check that rejects with EngineError 'rejected' unless `sql` is part of one statement. Without a semicolon
 * it always is. Otherwise the engine's own lexer decides whether the semicolons are inside strings or comments: the
 * query is passed as a parameter, wrapped in parentheses, where a real semicolon is a syntax error.
 */
export function createSingleStatementCheck(ask: AskEngine): (sql: string) => Promise<void> {
  const fine = new Set<string>();
  return async (sql) => {
    if (!sql.includes(';') || fine.has(sql)) return;
    const answer = await ask('SELECT isNull(formatQuerySingleLineOrNull({text:String}))', {
      text: `SELECT * FROM (\n${sql}\n)`,
    });
    if (answer.trim() !== '[0]') throw new EngineError('rejected', 'not a single SELECT', { engineCode: 62 });
    if (fine.size >= MAX_REMEMBERED) fine.clear();
    fine.add(sql);
  };
}
