// Splits a script into statements, each with its location, and leaves out what a migration undoes.
import { createPositions } from '../../sql/base/position.ts';
import { isSignificant, tokenize, type Token } from '../../sql/clickhouse/lexer.ts';

/** One statement; `line` and `column` are where it begins in the file, 1-based. */
export interface SchemaStatement {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly sql: string;
  /** It is one row of a file, so that a position in it is not one in the file. */
  readonly isRow?: boolean;
}

/** The statements of a script, without comments around them. */
export function splitScript(file: string, script: string): readonly SchemaStatement[] {
  const text = withoutDownSections(script);
  const positionOf = createPositions(text);
  const tokens = tokenize(text).filter(isSignificant);
  const statements: SchemaStatement[] = [];
  let first: Token | undefined;
  let last: Token | undefined;
  let depth = 0;
  const flush = (): void => {
    if (first !== undefined && last !== undefined)
      statements.push({ file, ...positionOf(first.start), sql: text.slice(first.start, last.end) });
    first = last = undefined;
    depth = 0;
  };
  for (const [index, token] of tokens.entries()) {
    if (token.kind === ';' || token.kind === '\\G') {
      flush();
      continue;
    }
    if (depth === 0 && first !== undefined && beginsStatement(text, tokens, index)) flush();
    if (token.kind === '(' || token.kind === '[' || token.kind === '{') depth++;
    if (token.kind === ')' || token.kind === ']' || token.kind === '}') depth--;
    first ??= token;
    last = token;
  }
  flush();
  return statements;
}

/** CREATE or ATTACH at the start of a line: the output of several SHOW CREATE has no semicolons. */
function beginsStatement(text: string, tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token?.kind !== 'word' || !/^(create|attach)$/i.test(text.slice(token.start, token.end))) return false;
  if (!/(^|\n)[ \t]*$/.test(text.slice(Math.max(0, token.start - 200), token.start))) return false;
  const next = tokens[index + 1];
  return /^(table|view|materialized|dictionary|database|function|or)$/i.test(
    text.slice(next?.start, next?.end),
  );
}

/** goose, sql-migrate and dbmate write both directions into one file. */
const SECTION = /^\s*--\s*(?:\+goose|\+migrate|migrate:)\s*(up|down)\b/i;
/** A client's command, not a statement. */
const DELIMITER = /^\s*DELIMITER\b/i;

/** The text with the same positions, and spaces in place of sections that undo a migration. */
function withoutDownSections(text: string): string {
  let isDown = false;
  const lines = text.split('\n').map((line) => {
    const direction = SECTION.exec(line)?.[1];
    if (direction !== undefined) isDown = direction.toLowerCase() === 'down';
    return isDown || DELIMITER.test(line) ? ' '.repeat(line.length) : line;
  });
  return lines.join('\n');
}
