// Makes characters visible that act on what shows them instead of being seen: text from files and rows must not control a terminal.

/**
 * Control characters, and characters that reverse, separate or hide text: marks of writing direction, line and paragraph separators,
 * invisible characters, noncharacters and tags.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};

/** Of one character: `\n`, `\u001b`, `\u202e`, the escapes of JSON. */
function escapeOf(char: string): string {
  const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index));
  return SHORT[char] ?? units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** One line in which every hidden character is an escape. */
export function visible(text: string): string {
  return text.replace(HIDDEN, escapeOf);
}

/** The same for a text of several lines: line breaks and tabs stay, but not carriage returns that overwrite a line. */
export function visibleLines(text: string): string {
  return text.replace(HIDDEN, (char, at: number) => {
    const isBreak = char === '\n' || char === '\t' || (char === '\r' && text[at + 1] === '\n');
    return isBreak ? char : escapeOf(char);
  });
}

/**
 * JSON with escapes for the hidden characters that JSON allows in strings, and for commands of CI services within a line: the same value. Line
 * breaks between values stay.
 */
export function visibleJson(json: string): string {
  const shown = json.replace(HIDDEN, (char) => (char < ' ' ? char : escapeOf(char)));
  return shown.replace(INNER_COMMAND, String.raw`#\u0023`);
}

/** `##[group]` and `##vso[…]` are commands anywhere in a line of a log. */
const INNER_COMMAND = /##(?=\w*\[)/g;

/** One line without hidden characters, in which no service of continuous integration sees a command. */
export function lineText(line: string): string {
  return withoutCommands(visible(line));
}

/** A line as it is, except what a service of continuous integration takes as a command: `::error::`, `##[group]`, `##vso[…]`. */
export function withoutCommands(line: string): string {
  return line.replace(/^(\s*):(?=:)/, String.raw`$1\u003a`).replace(INNER_COMMAND, String.raw`#\u0023`);
}

/** A value as indented JSON with a line break at the end, without hidden characters. */
export function jsonText(value: unknown): string {
  return `${visibleJson(JSON.stringify(value, null, 2))}\n`;
}
