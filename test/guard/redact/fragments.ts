// Generates difficult strings: fragments of personal data, and lookalikes, concatenated in any order.
import fc from 'fast-check';

const FRAGMENTS: readonly string[] = [
  ...'1.2.3.4 10.0.0.1 2001:db8::1 fe80::1%eth0 ::1 ::ffff:1.2.3.4 12:34:56 v Chrome/120.0.0.0 std::vector f64::add'.split(
    ' ',
  ),
  ...'bob@example.com bob @ example.com .com 2x.png %40 %2540 \\u0040 eyJhbGciOiJIUzI1NiJ9 eyJzdWIiOiIxMjM0In0'.split(
    ' ',
  ),
  ...'+14155552671 4111111111111111 DE89370400440532013000 bearer= abcdef123456 sk_live_ 0123456789abcdef SG.'.split(
    ' ',
  ),
  ...'AKIAIOSFODNN7EXAMPLE é 日本 “ 😀 . : :: / % \\ \\\\ \\n " - _ = + [ ] , a 1 ff x'.split(' '),
]
  .concat(
    '＠ ． １ ４１１１ \u00ad \u200b \u00a0 ‑ &#64; &#46; &commat; &nbsp; &amp; & ; # =40 =2E = =\n %EF%BC%A0 %C2%AD'.split(
      ' ',
    ),
  )
  .concat('+1 415', '4111 1111 1111 1111', 'Bearer ', '\ud83d', '\u0000', ' ', '\n');

export const hardText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...FRAGMENTS), { maxLength: 9 })
  .map((pieces) => pieces.join(''));

/** JSON values with hard texts as values and as keys. */
export const hardJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    hardText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 4111111111111111),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(hardText, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** The same JSON with some of its characters written as escapes. */
export function escapeSome(json: string, choose: (index: number) => boolean): string {
  return json.replaceAll(/\\u[0-9a-f]{4}|\\.|[\s\S]/g, (character, index: number) => {
    const isText = character.length === 1 && /[\w.:@%+-]/.test(character);
    const escaped = () => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return isText && isInString(json, index) && choose(index) ? escaped() : character;
  });
}

function isInString(json: string, index: number): boolean {
  const quotes = json.slice(0, index).replaceAll(/\\./g, '').split('"').length - 1;
  return quotes % 2 === 1;
}
