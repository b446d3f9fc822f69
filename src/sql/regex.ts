// Regular expressions as the engine's match() takes them: RE2, in linear time, also here.
import { RE2JS, RE2JSException } from 're2js';

/**
 * Why RE2 would refuse a regular expression; undefined when it would not. Compiling takes up to 8 ms for 1,000
 * characters: bound the length of a caller's text before.
 */
export function regexError(source: string): string | undefined {
  try {
    RE2JS.compile(source, RE2JS.DOTALL);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // The flag is printed in front of the expression that is quoted.
    return error.message.replace('error parsing regexp: ', '').replace('`(?s)', '`');
  }
}

/** True for texts that the expression matches as a whole. Throws for an expression with an error. */
export function compileWholeMatch(source: string): (text: string) => boolean {
  const pattern = RE2JS.compile(source);
  return (text) => pattern.matches(text);
}
