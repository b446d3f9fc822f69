// Minimal syntax highlighting: strings, comments, numbers and keywords shared by shell, JavaScript, Python and YAML.

const TOKEN =
  /(?<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<note>(?:^|(?<=\s))#.*$)|(?<name>^\s*[\w-]+(?=:(?:\s|$)))|(?<word>\b(?:const|await|new|if|throw|as|import|type|curl)\b)|(?<number>\b\d[\d.]*\b)/gm;

export function coloredCode(text: string) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole] = match;
    const [kind = 'text'] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    parts.push(
      text.slice(at, match.index),
      <span key={match.index} class={`code-${kind}`}>
        {whole}
      </span>,
    );
    at = match.index + whole.length;
  }
  return [...parts, text.slice(at)];
}
