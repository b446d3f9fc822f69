// Findings as a Markdown table, for summaries and comments of pull requests: https://github.github.com/gfm/
import { escapeMarkdown, markdownCode } from '../kit/markdown-text.ts';
import type { Finding } from '../../sql/base/finding.ts';
import { summaryOf, type PrintFindings } from './findings.ts';
import { fromRepositoryRoot } from './repository-paths.ts';

export interface MarkdownTable {
  readonly heading: string;
  /** One sentence below the heading. */
  readonly summary: string;
  readonly findings: readonly Finding[];
  /** Most UTF-16 code units of the text; the findings that do not fit are counted. */
  readonly maxLength: number;
}

/** Room in a comment of 65,536 characters, beside the other two reports of a pull request. */
export const COMMENT_PART = 10_000;

const LAST_LINE = 100;

export const printMarkdown: PrintFindings = (found, { write }) => {
  const findings = fromRepositoryRoot(found.findings);
  const heading = 'millrace validate';
  write(renderFindings({ heading, summary: summaryOf(found), findings, maxLength: COMMENT_PART }));
};

/** A heading, a sentence, and as many findings as fit. */
export function renderFindings({ heading, summary, findings, maxLength }: MarkdownTable): string {
  const head = [`### ${heading}`, '', summary, ''];
  if (findings.length === 0) return `${head.join('\n')}\n`;
  const lines = [...head, '| where | what | code |', '|---|---|---|'];
  let length = lines.join('\n').length;
  for (const [index, finding] of findings.entries()) {
    const line = row(finding);
    length += line.length + 1;
    if (length > maxLength - LAST_LINE) {
      lines.push('', `… and ${findings.length - index} more.`);
      break;
    }
    lines.push(line);
  }
  return `${lines.join('\n')}\n`;
}

function row({ file, line, column, severity, code, message, hint = '' }: Finding): string {
  const where = markdownCode(`${file}:${line}:${column}`);
  return `| ${where} | ${severity}: ${escapeMarkdown(message)} ${escapeMarkdown(hint)} | ${code} |`;
}
