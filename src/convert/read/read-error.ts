// Errors of a text that cannot be read.

/** Carries the place of an error to the entry point of the parser's thread. Never leaves it. */
export class ReadError extends Error {
  readonly offset: number;
  readonly code: 'syntax' | 'statement' | 'too_large';

  constructor(offset: number, message: string, code: ReadError['code'] = 'syntax') {
    super(message);
    this.name = 'ReadError';
    this.offset = offset;
    this.code = code;
  }
}

/** Throws: the text is not a query that can be read. */
export function syntaxError(offset: number, message: string): never {
  throw new ReadError(offset, message);
}
