// Tinybird's files as lists of instructions. Source: https://www.tinybird.co/docs/forward/dev-reference/datafiles
import type { ExportFile } from '../../export/document.ts';

/** An instruction of a datafile: `NAME argument`, with its indented lines. */
export interface Instruction {
  readonly name: string;
  readonly value: string;
  /** The offset of the value in the file. */
  readonly start: number;
}

const NAMES =
  'VERSION|DESCRIPTION|TAGS|TOKEN|NODE|SQL|TYPE|DATASOURCE|ENGINE\\w*|COPY\\w*|TARGET_DATASOURCE|MATERIALIZED|SCHEMA|INDEXES|SHARED_WITH|FORWARD_QUERY|EXPORT\\w*|KAFKA\\w*|IMPORT\\w*|INCLUDE|CACHE\\w*|DEPLOYMENT_METHOD|BACKFILL|RETRIES|MAX_\\w+|UNIQUE\\w*|INDEX\\w*|S3\\w*|GCS\\w*';
const INSTRUCTION = new RegExp(`^[ \\t]*(${NAMES})\\b[ \\t]*(.*)$`, 'i');

/** Instructions after an indented block, which are indented themselves in some files. */
const INDENTED =
  /^[ \t]*(?:(?:SQL|DESCRIPTION|SCHEMA)[ \t]*>|TYPE[ \t]+(?:endpoint|materialized|copy|sink))\s*$/i;

/** In order. The value of an instruction with `>` is its following lines, which are indented. */
export function instructionsOf(text: string): readonly Instruction[] {
  const found: { name: string; value: string; readonly start: number }[] = [];
  let at = 0;
  let isBlock = false;
  for (const line of text.split(/(?<=\n)/)) {
    const isInstruction: boolean = !isBlock || /^[A-Z_]+\b/.test(line) || INDENTED.test(line);
    const match: RegExpExecArray | null = isInstruction
      ? INSTRUCTION.exec(line.replace(/[\r\n]+$/, ''))
      : null;
    const last = found.at(-1);
    if (match !== null) {
      const name: string = match[1] ?? '';
      const argument: string = match[2] ?? '';
      isBlock = /^\s*>\s*$/.test(argument) || (argument.trim() === '' && name.toUpperCase() !== 'NODE');
      const start = isBlock ? at + line.length : at + line.indexOf(argument);
      found.push({ name: name.toUpperCase(), value: isBlock ? '' : argument, start });
    } else if (isBlock && last !== undefined) last.value += line;
    at += line.length;
  }
  return found;
}

/** The name of the file without its folders and ending. */
export function nameOf({ path }: ExportFile, extension: string): string {
  const name = path.split('/').at(-1) ?? path;
  return name.slice(0, name.length - extension.length);
}
