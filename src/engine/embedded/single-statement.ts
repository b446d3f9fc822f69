// One text, one statement: the embedded engine would run everything between semicolons.
import { EngineError } from '../engine.ts';

type Ask = (sql: string, parameters: Readonly<Record<string, string>>) => Promise<string>;

/** Texts whose answer is remembered; few texts have a semicolon at all. */
const MAX_REMEMBERED = 200;

/**
 * A check that rejects with EngineError 'rejected' unless `sql` is part of one statement. Without a semicolon it is.
 * With one, the engine's own lexer decides whether that is in a string or a comment: the text travels to it as a
 * parameter, in brackets, where a semicolon of its own fits no grammar.
 */
export function createSingleStatementCheck(ask: Ask): (sql: string) => Promise<void> {
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
