// `millrace format`: formats endpoint files without changing values or comments.
import { createInspect } from '../../../service/endpoints/compile.ts';
import { schemaOf } from '../../../service/endpoints/file-kinds.ts';
import { formatYaml } from '../../yaml/format-yaml.ts';
import { replaceFile } from '../../../service/config/replace-file.ts';
import { leadsOutside, OUTSIDE } from '../../../service/config/leads-outside.ts';
import { readText } from '../../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES, parseYaml } from '../../../service/config/yaml-document.ts';
import { describeFinding } from '../../../service/observe/describe.ts';
import { ANY_KEY, expandPaths } from '../../kit/endpoint-files.ts';
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';

export interface FormatOptions {
  /** Files and folders. */
  readonly paths: readonly string[];
  /** Change nothing, and fail if a file is not formatted. */
  readonly isCheck: boolean;
}

/** Writes the files that are not formatted; returns 1 if one is not valid YAML or, with `isCheck`, not formatted. */
export async function format({ paths, isCheck }: FormatOptions, terminal: Terminal): Promise<0 | 1> {
  const files = await expandPaths(paths);
  const inspect = createInspect({ piiHashKey: ANY_KEY, engineSources: 'any' });
  let changed = 0;
  let broken = 0;
  for (const file of files) {
    const text = leadsOutside(file)
      ? new Error(OUTSIDE)
      : await readText(file, MAX_DOCUMENT_BYTES).catch((cause: Error) => cause);
    if (typeof text !== 'string') {
      terminal.note(`${file}: ${text.message}`);
      broken++;
      continue;
    }
    const parsed = parseYaml(file, text);
    if ('diagnostics' in parsed) {
      for (const finding of parsed.diagnostics) terminal.note(describeFinding(finding));
      broken++;
      continue;
    }
    const formatted = formatYaml(text, schemaOf(file));
    if (formatted === text) continue;
    requireSameRevision(inspect, { file, before: text, after: formatted });
    changed++;
    terminal.print(file);
    if (!isCheck) await replaceFile(file, formatted);
  }
  const what = isCheck ? 'would change' : 'changed';
  terminal.note(
    `${count(files.length, 'file')}, ${changed} ${what}${broken === 0 ? '' : `, ${broken} skipped: unreadable or not valid YAML`}`,
  );
  return broken > 0 || (isCheck && changed > 0) ? 1 : 0;
}

/** Formatting must not change the revision, so that cached responses stay valid. */
function requireSameRevision(
  inspect: ReturnType<typeof createInspect>,
  { file, before, after }: { readonly file: string; readonly before: string; readonly after: string },
): void {
  const [a, b] = [before, after].map((text) => inspect(file, text).inspected?.candidate.endpoint.revision);
  if (a !== b) throw new Error(`${file}: formatting would change the endpoint; the file was not written`);
}
