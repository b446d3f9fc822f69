// Characters that act on what shows them, made visible: in lines, documents, JSON, Markdown and on terminals.
import { REAL_TIME } from '../../support/real-time.ts';
import { describe, expect, test } from 'vitest';
import { escapeMarkdown, markdownCode, codeBlock } from '../../../src/cli/kit/markdown-text.ts';
import { excerpt } from '../../../src/cli/kit/caret.ts';
import { createLog, forTerminal } from '../../../src/service/observe/log.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import {
  jsonText,
  lineText,
  visible,
  visibleJson,
  visibleLines,
} from '../../../src/service/observe/visible-text.ts';

const HIDDEN = [
  ['\u0000', String.raw`\u0000`],
  ['\u001b', String.raw`\u001b`],
  ['\u0007', String.raw`\u0007`],
  ['\u007f', String.raw`\u007f`],
  ['\u009b', String.raw`\u009b`],
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\t', String.raw`\t`],
  ['\u061c', String.raw`\u061c`],
  ['\u200b', String.raw`\u200b`],
  ['\u200e', String.raw`\u200e`],
  ['\u200f', String.raw`\u200f`],
  ['\u2028', String.raw`\u2028`],
  ['\u2029', String.raw`\u2029`],
  ['\u202a', String.raw`\u202a`],
  ['\u202e', String.raw`\u202e`],
  ['\u2066', String.raw`\u2066`],
  ['\u2069', String.raw`\u2069`],
  ['\ufeff', String.raw`\ufeff`],
  ['\ufdd0', String.raw`\ufdd0`],
  ['\u{e0041}', String.raw`\udb40\udc41`],
] as const;

test.each(HIDDEN)('%j is shown as %s', (char, escape) => {
  expect(visible(`a${char}b${char}`)).toBe(`a${escape}b${escape}`);
  expect(lineText(`a${char}b`)).toBe(`a${escape}b`);
  const value = { [char]: [`x${char}`, 1] };
  expect(JSON.parse(jsonText(value))).toEqual(value);
  expect(visible(jsonText(value).replaceAll('\n', ''))).toBe(jsonText(value).replaceAll('\n', ''));
  expect(JSON.parse(visibleJson(JSON.stringify(value)))).toEqual(value);
});

test.each(['plain', 'äöü', '日本語', 'שלום', '👩‍👩‍👧', 'a\u200cb', ''])('%s stays', (text) => {
  expect([visible(text), visibleLines(text), visibleJson(text)]).toEqual([text, text, text]);
});

test('documents keep their line breaks and tabs, but not lone carriage returns', () => {
  expect(visibleLines('a\r\nb\n\tc\rd\u001b')).toBe('a\r\nb\n\tc\\rd\\u001b');
});

test.each([
  ['::error::x', String.raw`\u003a:error::x`],
  ['  ::set-output name=a::b', String.raw`  \u003a:set-output name=a::b`],
  ['a ::error::x', 'a ::error::x'],
  ['a ##[error]x', String.raw`a #\u0023[error]x`],
  ['##vso[task.setvariable]x', String.raw`#\u0023vso[task.setvariable]x`],
  ['## a [b]', '## a [b]'],
])('the line %s is no command', (line, shown) => {
  expect(lineText(line)).toBe(shown);
});

describe('a terminal', () => {
  const open = (isTTY: boolean) => {
    const written = { out: '', err: '' };
    const streamOf = (name: 'out' | 'err') => ({
      isTTY,
      write: (text: unknown) => (written[name] += String(text)) !== '',
    });
    return { written, terminal: createTerminal(streamOf('out'), streamOf('err'), {}) };
  };
  const EVIL = 'a\u001b[31m\u202e\ufdd0\nb';
  const SHOWN = String.raw`a\u001b[31m\u202e\ufdd0\nb`;

  test('lines, notes and progress have its own escape sequences only', () => {
    const { written, terminal } = open(true);
    terminal.print(terminal.paint('red', 'x') + EVIL.replace('\ufdd0', ''));
    terminal.note(EVIL.replace('\ufdd0', ''));
    terminal.progress(EVIL);
    const plain = SHOWN.replace(String.raw`\ufdd0`, '');
    expect(written).toEqual({ out: `\u001b[31mx\u001b[39m${plain}\n`, err: `${plain}\n${SHOWN}` });
  });

  test('documents are escaped on a terminal, and as they are in a pipe', () => {
    for (const isTTY of [true, false]) {
      const { written, terminal } = open(isTTY);
      terminal.write(`${EVIL}\n`);
      expect(written.out).toBe(isTTY ? `a\\u001b[31m\\u202e\\ufdd0\nb\n` : `${EVIL}\n`);
    }
  });

  test('lines in a pipe are escaped as well, marks of styles too', () => {
    const { written, terminal } = open(false);
    terminal.print(terminal.paint('red', EVIL));
    expect(written.out).toBe(`${SHOWN}\n`);
  });
});

test('the caret of an excerpt is below its column, whatever is in front of it', () => {
  for (const [source, column] of [
    ['abc', 3],
    ['\u202e\u001bc', 3],
    ['\ta c', 4],
    [' ::x c', 6],
    [`${'a'.repeat(200)}\u202ec`, 202],
  ] as const) {
    const [line = '', caret = ''] = excerpt(source, column, (mark) => mark);
    expect([source, line[caret.indexOf('^')]]).toEqual([source, 'c']);
  }
});

test('lines of the structured log have no hidden characters on a terminal, and the same values', () => {
  const lines: string[] = [];
  const log = createLog({
    ...REAL_TIME,
    level: 'info',
    stream: forTerminal({ write: (line) => void lines.push(line) }),
    epoch: () => 0,
    random: () => 0,
  });
  const reason = 'a\u009b31m\u202e\n##[error]b';
  log({ kind: 'cache.key_derived', reason });
  expect(lines.join('')).toBe(`${visible(lines.join('').trimEnd())}\n`);
  expect(JSON.parse(lines.join(''))).toMatchObject({ reason });
});

describe('Markdown', () => {
  test.each([
    ['@someone', '`@someone`'],
    ['by @a/b-c, ok', 'by `@a/b-c`, ok'],
    ['#12', '`#12`'],
    ['a/b#12', '`a/b#12`'],
    ['GH-12', '`GH-12`'],
    ['!12 $3 &4 %5 ~bug', '`!12` `$3` `&4` `%5` `~bug`'],
    ['see https://evil.example/?a=b.', 'see `https://evil.example/?a=b.`'],
    ['www.evil.example', '`www.evil.example`'],
    ['a@b.example', '`a@b.example`'],
    ['deadbeef1', '`deadbeef1`'],
    ['[a](b)', String.raw`\[a\](b)`],
    ['![a](b)', String.raw`\!\[a\](b)`],
    ['<img src=x>', String.raw`\<img src=x\>`],
    ['a | b', String.raw`a \| b`],
    ['`code`', String.raw`\`code\``],
    ['*a* _b_ \\|', String.raw`\*a\* \_b\_ \\\|`],
    ['a\n\n# b', String.raw`a \# b`],
    ['\u202e\u001b', String.raw`\\u202e\\u001b`],
    ['10 rows, 1000000 bytes, 50%', '10 rows, 1000000 bytes, 50%'],
  ])('%j becomes %s', (text, shown) => {
    const escaped = escapeMarkdown(text);
    expect(escaped.replaceAll(String.raw`\\u`, String.raw`\u`)).toBe(
      shown.replaceAll(String.raw`\\u`, String.raw`\u`),
    );
  });

  test.each([
    ['endpoints/@someone.yaml:1:2', '`endpoints/@someone.yaml:1:2`'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['a``b`', '``` a``b` ```'],
    ['a|b\\|', String.raw`${'`'}a\u007cb\\u007c${'`'}`],
    ['', '`  `'],
    ['a\n| b', String.raw`${'`'}a\n\u007c b${'`'}`],
  ])('code of %j is %s', (text, shown) => {
    expect(markdownCode(text)).toBe(shown);
  });

  test('code blocks have longer fences than their lines, and no commands', () => {
    expect(codeBlock(['```', ' ::error::x', '\u202e'], 'diff')).toEqual([
      '````diff',
      '```',
      String.raw` \u003a:error::x`,
      String.raw`\u202e`,
      '````',
    ]);
  });

  test('a long word takes no longer than its length', () => {
    expect(escapeMarkdown('a'.repeat(200_000))).toHaveLength(200_000);
  });
});
