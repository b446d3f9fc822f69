// Arguments of a call: values, lambdas, and the keywords of standard SQL between them.
import { parseQueryArgument } from './parse-groups.ts';
import {
  close,
  expectKind,
  isKeywordBefore,
  kind,
  listUntil,
  beyond,
  nest,
  newName,
  open,
  skip,
  take,
  type AliasForm,
  type Reader,
} from './reader.ts';

/** Arguments in standard SQL syntax: keywords between them, and keywords before the first. */
export interface ArgumentForm {
  readonly separators: readonly string[];
  readonly prefixes: readonly string[];
}

const PLAIN: ArgumentForm = { separators: [], prefixes: ['DISTINCT'] };

export function parseArguments(
  reader: Reader,
  kindOf: 'arguments' | 'parameters',
  { separators, prefixes }: ArgumentForm = PLAIN,
): void {
  const outer = open(reader, kindOf);
  if (parseQueryArgument(reader)) {
    close(reader, outer);
    return;
  }
  expectKind(reader, '(');
  if (prefixes.some((each) => isKeywordBefore(reader, each))) {
    reader.top.at = reader.at;
    skip(reader);
  }
  listUntil(reader, ')', () => parseArgument(reader, separators));
  close(reader, outer);
}

function parseArgument(reader: Reader, separators: readonly string[]): void {
  if (parseLambda(reader)) return;
  reader.grammar.expression(reader, 'as');
  while (separators.some((each) => take(reader, each))) reader.grammar.expression(reader, 'none');
}

/** `x -> …` or `(x, y) -> …`, allowed only as an argument; nothing inside it may be given an alias. */
export function parseLambda(reader: Reader, alias: AliasForm = 'as'): boolean {
  const isBracketed = kind(reader) === '(';
  if (kind(reader, isBracketed ? beyond(reader) : 1) !== '->') return false;
  const outer = open(reader, 'lambda');
  if (isBracketed) {
    skip(reader);
    listUntil(reader, ')', () => parseParameter(reader));
  } else parseParameter(reader);
  if (reader.fault === undefined) reader.top.at = reader.at;
  expectKind(reader, '->');
  const { inLambda } = reader;
  reader.inLambda = true;
  nest(reader, () => reader.grammar.expression(reader, alias));
  reader.inLambda = inLambda;
  close(reader, outer);
  return true;
}

function parseParameter(reader: Reader): void {
  const outer = open(reader, 'parameter');
  newName(reader);
  close(reader, outer);
}
