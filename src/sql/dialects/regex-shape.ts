// What the syntax of a regular expression (RE2) says about its matches: its groups, and whether a match can be empty.

/** Source: RE2, Syntax. Not guaranteed: that RE2 accepts the expression. */
export interface RegexShape {
  /** Capturing groups, in order. */
  readonly groups: readonly RegexGroup[];
  /** It is true if a match can be empty. */
  readonly canBeEmpty: boolean;
  /** It is true if a match can have characters. */
  readonly canConsume: boolean;
  /** It is true if there is a dot, which matches any character. */
  readonly hasDot: boolean;
  /** It is true if a match depends on what is around it: `^`, `$`, `\b`. */
  readonly hasAnchor: boolean;
  /** Where there is something that RE2 does not support: lookaround, a back reference. */
  readonly unsupportedAt: number | undefined;
}

export interface RegexGroup {
  /** It is true if there are matches without the group. */
  readonly isOptional: boolean;
  readonly canBeEmpty: boolean;
}

interface Part {
  readonly groups: readonly RegexGroup[];
  readonly canBeEmpty: boolean;
  readonly canConsume: boolean;
}

const NOTHING: Part = { groups: [], canBeEmpty: true, canConsume: false };
const CHARACTER: Part = { groups: [], canBeEmpty: false, canConsume: true };

const optional = (group: RegexGroup): RegexGroup => ({ ...group, isOptional: true });

/** One of several parts. */
function anyOf(branches: readonly Part[]): Part {
  const groups = branches.flatMap((each) => each.groups);
  return {
    groups: branches.length === 1 ? groups : groups.map(optional),
    canBeEmpty: branches.some(({ canBeEmpty }) => canBeEmpty),
    canConsume: branches.some(({ canConsume }) => canConsume),
  };
}

/** Parts one after the other. */
function allOf(parts: readonly Part[]): Part {
  return {
    groups: parts.flatMap(({ groups }) => groups),
    canBeEmpty: parts.every(({ canBeEmpty }) => canBeEmpty),
    canConsume: parts.some(({ canConsume }) => canConsume),
  };
}

const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\((?:\?(?:P?<\w+>|P=\w+|<?[=!]|>|[a-zA-Z-]*[:)]))?|(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?|[^]/gu;

/** The shape of an expression. Linear in its length. */
export function shapeOf(source: string): RegexShape {
  const reader = createReader(source);
  const whole = reader.alternatives();
  // What follows a parenthesis that closes nothing: RE2 rejects the expression.
  return { ...whole, ...reader.found() };
}

function createReader(source: string) {
  const tokens = [...source.matchAll(TOKEN)];
  let next = 0;
  const found: { hasDot: boolean; hasAnchor: boolean; unsupportedAt: number | undefined } = {
    hasDot: false,
    hasAnchor: false,
    unsupportedAt: undefined,
  };
  const peek = (): string => tokens[next]?.[0] ?? '';

  function alternatives(): Part {
    const branches = [sequence()];
    while (peek() === '|') {
      next++;
      branches.push(sequence());
    }
    return anyOf(branches);
  }

  function sequence(): Part {
    const parts: Part[] = [];
    while (next < tokens.length && peek() !== '|' && peek() !== ')') parts.push(repeated(atom()));
    return allOf(parts);
  }

  function repeated(part: Part): Part {
    let isOptional = false;
    for (let token = peek(); /^(?:[*+?]|\{\d)/.test(token); token = peek()) {
      next++;
      isOptional ||= /^(?:[*?]|\{0)/.test(token);
    }
    return isOptional ? { ...part, canBeEmpty: true, groups: part.groups.map(optional) } : part;
  }

  function atom(): Part {
    const token = peek();
    const at = tokens[next]?.index ?? 0;
    next++;
    if (/^\(\?(?:<?[=!]|>|P=)|^\\[1-9mMyYZ]/.test(token)) found.unsupportedAt ??= at;
    if (token.startsWith('(')) return token.endsWith(')') ? NOTHING : group(token);
    if (/^(?:[\^$]|\\[bBAz])$/.test(token)) {
      found.hasAnchor = true;
      return NOTHING;
    }
    if (token === '.') found.hasDot = true;
    if (token.startsWith('\\Q')) return /^\\Q(?:\\E)?$/.test(token) ? NOTHING : CHARACTER;
    return CHARACTER;
  }

  function group(opening: string): Part {
    const inner = alternatives();
    next++;
    const isCapturing = opening === '(' || opening.endsWith('>');
    if (!isCapturing) return inner;
    return { ...inner, groups: [{ isOptional: false, canBeEmpty: inner.canBeEmpty }, ...inner.groups] };
  }

  return { alternatives, found: () => found };
}
