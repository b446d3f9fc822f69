// The sentence in an error message of the engine that says what is wrong.

/** Without the error code, the repeated query and the details that follow; at most 300 characters. */
export function engineSentence(text: string): string {
  if (/Syntax error/.test(text)) return 'the engine reports a syntax error here';
  const [sentence = ''] = text
    .replace(/^.*?DB::Exception: /s, '')
    .split(
      /[.:]? ?\(?(?:[Ii]n (?:scope|query) |[Mm]aybe you meant|while (?:executing|converting) )|\. \([A-Z_]+\)/,
    );
  const plain = sentence
    .replace(/[.:,\s]+$/, '')
    .replace(/\s+/g, ' ')
    .slice(0, 300);
  return /^[A-Z][a-z]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}
