// Errors of a query that cannot be read.

/** What kind of error it is: `unsupported` is valid in the dialect. */
export type ReadErrorCode = 'syntax' | 'statement' | 'unsupported' | 'too_large';

/** Carries the place of an error to the entry point, where the text is known. */
export class ReadError extends Error {
  readonly offset: number;
  readonly code: ReadErrorCode;
  readonly hint: string | undefined;

  constructor(offset: number, code: ReadErrorCode, message: string, hint?: string) {
    super(message);
    this.name = 'ReadError';
    this.offset = offset;
    this.code = code;
    this.hint = hint;
  }
}

/** Throws: the text is not a query of the dialect. */
export function syntaxError(offset: number, message: string, hint?: string): never {
  throw new ReadError(offset, 'syntax', message, hint);
}

/** Throws: valid in the dialect, but not read. */
export function unsupported(offset: number, message: string, hint?: string): never {
  throw new ReadError(offset, 'unsupported', message, hint);
}

/** Throws: the query exceeds a limit on its length, nesting or size. */
export function tooLarge(offset: number, message: string): never {
  throw new ReadError(offset, 'too_large', message);
}
