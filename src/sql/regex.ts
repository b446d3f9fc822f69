// Regular expressions as the engine's match() accepts them: RE2, which also runs in linear time here.
import { RE2JS, RE2JSException } from 're2js';

/**
 * Why RE2 rejects a regular expression; undefined if it is valid. Compiling takes up to 8 ms for 1,000 characters, so limit
 * the length of caller input first.
 */
export function regexError(source: string): string | undefined {
  try {
    RE2JS.compile(source, RE2JS.DOTALL);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // The library prefixes the quoted expression with the flag.
    return error.message.replace('error parsing regexp: ', '').replace('`(?s)', '`');
  }
}

/** Returns a test for strings that the expression matches entirely. Throws for an invalid expression. */
export function compileWholeMatch(source: string): (text: string) => boolean {
  const pattern = RE2JS.compile(source);
  return (text) => pattern.matches(text);
}
