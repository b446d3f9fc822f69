// Affected consumer queries as annotations of the endpoint files that change, with the full list in the step's summary.
import { appendFile } from 'node:fs/promises';
import type { QueryImpact } from '../../compare/consumers/impact.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { count } from '../../findings/findings.ts';
import { annotation, PER_KIND, SUMMARY_LENGTH } from '../../findings/github.ts';
import { renderReport } from './markdown.ts';
import { messageOf, summaryOf, type PrintImpact } from './report.ts';

/** `summaryFile` is the path of the step's summary (`GITHUB_STEP_SUMMARY`). */
export function createPrintGithub(summaryFile: string | undefined): PrintImpact {
  return async (report, { write, note }) => {
    const findings = findingsOf(report.impacts);
    for (const finding of findings.slice(0, PER_KIND)) write(`${annotation(finding)}\n`);
    note(`${summaryOf(report.impacts)}${findings.length > PER_KIND ? '; see the step summary for all' : ''}`);
    if (summaryFile !== undefined) await appendFile(summaryFile, `${renderReport(report, SUMMARY_LENGTH)}\n`);
  };
}

/** Most queries in one annotation. */
const MAX_QUERIES = 10;

/** One for each endpoint with queries that break. */
function findingsOf(impacts: readonly QueryImpact[]): readonly Finding[] {
  const endpoints = new Set(impacts.flatMap(({ endpoint }) => endpoint ?? []));
  return [...endpoints].flatMap(({ name, file, line }): readonly Finding[] => {
    const broken = impacts.filter(({ endpoint, impact }) => impact === 'breaks' && endpoint?.name === name);
    if (broken.length === 0) return [];
    const lines = broken.slice(0, MAX_QUERIES).map((each) => {
      const { query, reasons } = each;
      const owner = query.owner === undefined ? '' : ` of ${query.owner}`;
      return `${query.name}${owner}: ${reasons.map((reason) => messageOf(each, reason)).join('; ')}`;
    });
    const more = broken.length - lines.length;
    const rest = more > 0 ? [`and ${more} more`] : [];
    const head = `${count(broken.length, 'consumer query of', 'consumer queries of')} ${name} ${broken.length === 1 ? 'breaks' : 'break'}`;
    const message = [`${head}:`, ...lines, ...rest].join('\n');
    return [{ file, line, column: 1, severity: 'error', code: 'impact', message }];
  });
}
