// Parses JSON without losing digits: a number that JavaScript cannot hold becomes a string with its digits.

/** At least 16 digits, with or without a decimal point: fewer are always exact. */
const LONG_NUMBER = /\d[\d.]{15}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The value of a JSON text that the engine wrote. Throws SyntaxError for anything else. */
export function parseExact(text: string): unknown {
  return JSON.parse(LONG_NUMBER.test(text) ? withQuotedNumbers(text) : text);
}

function withQuotedNumbers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"') at = closingQuote(text, at);
    else if (character === '-' || (character >= '0' && character <= '9')) {
      NUMBER.lastIndex = at;
      const token = NUMBER.exec(text)?.[0] ?? character;
      if (!isExact(token)) {
        parts.push(text.slice(copied, at), `"${token}"`);
        copied = at + token.length;
      }
      at += token.length - 1;
    }
  }
  return parts.join('') + text.slice(copied);
}

/** Returns whether the number is printed with the same digits again. The engine writes only floats with exponents, which are exact. */
function isExact(token: string): boolean {
  if (token.length < 16 || /e/i.test(token)) return true;
  const plain = token.includes('.') ? token.replace(/\.?0+$/, '') : token;
  return String(Number(plain)) === plain;
}

/** Index of the quote that closes the string opened at `start`, or the end of the text. */
function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
