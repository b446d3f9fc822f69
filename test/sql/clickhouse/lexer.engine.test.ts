import { afterAll, describe, expect, test } from 'vitest';
import { isSignificant, tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import type { Token } from '../../../src/sql/clickhouse/lexer.ts';
import { openOracle } from './oracle.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

const CASES = Number(process.env['FUZZ_CASES'] ?? 2500);
const BATCH = 5_000;

describe('tokens', () => {
  const rows: [why: string, text: string, tokens: string[]][] = [
    ['a doubled quote keeps a string open', "'it''s'", ["string:'it''s'"]],
    ['a backslash keeps a string open', "'a\\'b'", ["string:'a\\'b'"]],
    ['comments nest', '/* a /* b */ c */x', ['word:x']],
    ['CR does not end a comment', '-- a\rb\nc', ['word:c']],
    ['# requires a following space', '#a', ['error:#', 'word:a']],
    ['a heredoc with a tag', '$a$ $b$ $a$ x', ['heredoc:$a$ $b$ $a$', 'word:x']],
    ['an unclosed tag is a word', '$a$ x', ['word:$a$', 'word:x']],
    ['typographic quotes', '‘a’ “b”', ['string:‘a’', 'quoted:“b”']],
    ['a typographic minus', '1−2', ['number:1', '-:−', 'number:2']],
    ['wide spaces', 'a\u00a0\u200b\u3000\ufeffb', ['word:a', 'word:b']],
    ['tuple access is not a number', 't.1.1', ['word:t', '.:.', 'number:1', '.:.', 'number:1']],
    [
      'numbers',
      '0x1F 0b01 1_000 1.5e-3 + .5',
      ['number:0x1F', 'number:0b01', 'number:1_000', 'number:1.5e-3', '+:+', 'number:.5'],
    ],
    ['a name may start with digits', '1a 1.5a', ['word:1a', 'error:1.5a']],
    ['longest operator first', '<=> <= <> == ||', ['<=>:<=>', '<=:<=', '!=:<>', '=:==', '||:||']],
    ['an unclosed string is an error to the end', "a 'b c", ['word:a', "error:'b c"]],
    ['a lone surrogate is an error', 'a\ud800', ['word:a', 'error:\ud800']],
  ];
  test.each(rows)('%s', (_why, text, expected) => {
    const seen = tokenize(text).filter(isSignificant);
    expect(seen.map((t) => `${t.kind}:${text.slice(t.start, t.end)}`)).toEqual(expected);
  });

  test('cover the input without gaps', () => {
    const text = mutants(1, 1)[0] ?? '';
    expect(
      tokenize(text)
        .map((t) => text.slice(t.start, t.end))
        .join(''),
    ).toBe(text);
  });
});

describe('a hostile megabyte is read in linear time, so these finish long before the time limit', () => {
  const rows: [why: string, piece: (i: number) => string][] = [
    ['tags that never close', (i) => `$${i} `],
    ['comments that never close', () => '/*'],
    ['comments that close', () => '/**/'],
    ['quotes after backslashes', () => "'\\"],
    ['digits', () => '1_'],
    ['invalid numbers', () => '1.x'],
    ['strings that start like identifiers', () => "x'"],
    ['typographic quotes', () => '‘'],
  ];
  test.each(rows)('%s', (_why, piece) => {
    const text = Array.from({ length: 400_000 }, (_, i) => piece(i)).join('');
    expect(tokenize(text).at(-1)?.end).toBe(text.length);
  });
});

test(`agrees with the engine on ${CASES} texts`, { timeout: 600_000 }, async () => {
  const texts = mutants(CASES, 20_240_101);
  const disagreements: string[] = [];
  for (let from = 0; from < texts.length; from += BATCH) {
    const batch = texts.slice(from, from + BATCH);
    const theirs = await engineTokens(batch);
    for (const [index, text] of batch.entries()) {
      if (theirs[index] !== ourTokens(text)) disagreements.push(JSON.stringify(text));
    }
  }
  expect(disagreements).toEqual([]);
});

const PIECES = [
  ' ', '\n', '\t', '\r', '\v', '\u00a0', '\u200b', '\u3000', '\ufeff', '\u0085', '\u180e', '\u2000', '\u2010', '\u2060',
  "'", '"', '`', '‘', '’', '“', '”', '−', 'é', '漢', '😀', '\ud800', '\0', '\x01', '\x7f', 'a', 'x', 'b', 'X', 'B', 'e',
  'E', 'p', '_', '0', '1', '9', 'f', '0x', '0b', '0X1F', '1_0', '1e', '1e5', '.', '..', '(', ')', '[', ']', '{', '}', ',',
  ';', '*', '+', '-', '--', '/', '//', '/*', '*/', '#', '# ', '#!', '%', '=', '==', '!', '!=', '<', '>', '<=', '>=', '<>',
  '<=>', '->', '?', '^', ':', '::', '|', '||', '@', '@@', '\\', '\\G', '$', '$$', '$a$', '$b$', 'SELECT', "x'1F'",
  "b'01'", "x'", "''", "\\'", 't.1.1', 'a.b', '1.', '.5', '1.5e-3', '~', '&',
]; // prettier-ignore

/** Texts of one to fifteen pieces, the same for the same seed. */
function mutants(count: number, seed: number): string[] {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
  const text = () => Array.from({ length: 1 + below(15) }, () => PIECES[below(PIECES.length)]).join('');
  return Array.from({ length: count }, text);
}

const KINDS: Readonly<Record<string, string>> = {
  Whitespace: 'whitespace', Comment: 'comment', BareWord: 'word', Number: 'number', StringLiteral: 'string',
  QuotedIdentifier: 'quoted', OpeningRoundBracket: '(', ClosingRoundBracket: ')', OpeningSquareBracket: '[',
  ClosingSquareBracket: ']', OpeningCurlyBrace: '{', ClosingCurlyBrace: '}', Comma: ',', Semicolon: ';',
  VerticalDelimiter: '\\G', Dot: '.', Asterisk: '*', HereDoc: 'heredoc', DollarSign: '$', Plus: '+', Minus: '-',
  Slash: '/', Percent: '%', Arrow: '->', QuestionMark: '?', Colon: ':', Caret: '^', DoubleColon: '::', Equals: '=',
  NotEquals: '!=', Less: '<', Greater: '>', LessOrEquals: '<=', GreaterOrEquals: '>=', Spaceship: '<=>', PipeMark: '|',
  Concatenation: '||', At: '@', DoubleAt: '@@',
  Error: 'unexpected_character', ErrorMultilineCommentIsNotClosed: 'unclosed_comment',
  ErrorSingleQuoteIsNotClosed: 'unclosed_string', ErrorDoubleQuoteIsNotClosed: 'unclosed_identifier',
  ErrorBackQuoteIsNotClosed: 'unclosed_identifier', ErrorSingleExclamationMark: 'stray_exclamation_mark',
  ErrorWrongNumber: 'number_invalid',
}; // prettier-ignore

function ourTokens(text: string): string {
  const offset = (at: number) => Buffer.byteLength(text.slice(0, at));
  const print = (t: Token) => `${t.reason ?? t.kind}@${offset(t.start)}-${offset(t.end)}`;
  return tokenize(text).map(print).join(' ');
}

async function engineTokens(texts: readonly string[]): Promise<string[]> {
  const hex = texts.map((text) => Buffer.from(text).toString('hex')).join(',');
  const answer = await oracle.ask(
    `SELECT toJSONString(arrayMap(t -> (toUInt32(t.1), toUInt32(t.2), toString(t.3)), tokenizeQuery(unhex(h))))
     FROM (SELECT arrayJoin(splitByChar(',', '${hex}')) AS h)`,
  );
  const lines = answer.trimEnd().split('\n');
  expect(lines).toHaveLength(texts.length);
  return lines.map((line, index) => printEngine(line, Buffer.from(texts[index] ?? '')));
}

/** The engine lexes bytes: what it reports for each byte of one character is one error of ours. */
function printEngine(line: string, bytes: Buffer): string {
  const tokens = JSON.parse(line) as [number, number, string][]; // the shape that the query above selects
  const merged: [number, number, string][] = [];
  for (const [start, end, kind] of tokens) {
    const last = merged.at(-1);
    const continues = ((bytes[start] ?? 0) & 0xc0) === 0x80 && kind === 'Error' && last?.[2] === 'Error';
    if (continues && last !== undefined) last[1] = end;
    else merged.push([start, end, kind]);
  }
  return merged.map(([start, end, kind]) => `${KINDS[kind] ?? kind}@${start}-${end}`).join(' ');
}
