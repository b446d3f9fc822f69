// The document of a file with all that it includes: locates each part in the file that has it.
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import type { Location, Path, YamlDocument } from '../../config/yaml-document.ts';
import type { Part, Placed } from './part.ts';
import { documentAt, locatePiece } from './pieces.ts';
import type { SourceFile } from './sources.ts';

/** `value` is the effective file of `part`. */
export function composedDocument(
  part: Part,
  value: EndpointFile,
  dependencies: readonly SourceFile[],
): YamlDocument {
  const { document, query } = part;
  const inFile = (location: Location & { readonly file: string }): Location => {
    const { file, line, column } = location;
    return file === document.file ? { line, column } : { line, column, file, includedBy: value.name };
  };
  const place = (path: Path, how: 'locate' | 'locateKey'): Location => {
    const { document: owner, path: inside } = ownerOf(part, path);
    return inFile({ file: owner.file, ...owner[how](inside) });
  };
  return {
    file: document.file,
    text: document.text,
    wholeText: [document.text, ...dependencies.map(({ text }) => text ?? '')].join('\0'),
    value,
    isIncluded: (path, offset) => {
      const owner = isQuery(path) ? documentAt(query, offset) : ownerOf(part, path).document;
      return owner !== undefined && owner.file !== document.file;
    },
    locate: (path) => place(path, 'locate'),
    locateKey: (path) => place(path, 'locateKey'),
    locateInside: (path, offset) => {
      const piece = isQuery(path) ? locatePiece(query, offset) : undefined;
      if (piece !== undefined) return inFile(piece);
      const { document: owner, path: inside } = ownerOf(part, path);
      return inFile({ file: owner.file, ...owner.locateInside(inside, offset) });
    },
  };
}

function isQuery(path: Path): boolean {
  return path.length === 1 && path[0] === 'query';
}

/** The document that has the value at a path of the effective file, and its path there. */
function ownerOf(
  { document, parameters, policies }: Part,
  path: Path,
): Pick<Placed<unknown>, 'document' | 'path'> {
  const [key = '', name = '', ...rest] = path;
  if (key === 'parameters') return within(parameters.get(String(name)), rest) ?? { document, path };
  const inSandbox = key === 'sandbox' ? policies.get(`sandbox.${name}`) : undefined;
  return within(inSandbox, rest) ?? within(policies.get(String(key)), path.slice(1)) ?? { document, path };
}

function within(
  placed: Placed<unknown> | undefined,
  rest: Path,
): Pick<Placed<unknown>, 'document' | 'path'> | undefined {
  return placed && { document: placed.document, path: [...placed.path, ...rest] };
}
