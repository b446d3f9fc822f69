// Findings as SARIF 2.1.0, for code scanning (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
import { jsonText, visible } from '../../service/observe/visible-text.ts';
import { FINDING_CODES } from '../checks/table.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { PrintFindings } from './findings.ts';
import { fromRepositoryRoot } from './repository-paths.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

export const printSarif: PrintFindings = ({ findings }, { write }) => {
  const codes = [...new Set(findings.map(({ code }) => code))].toSorted();
  const driver = { name: 'millrace', rules: codes.map(rule) };
  const results = fromRepositoryRoot(findings).map((finding) => result(finding, codes.indexOf(finding.code)));
  const run = { tool: { driver }, columnKind: 'utf16CodeUnits', results };
  write(jsonText({ $schema: SCHEMA, version: '2.1.0', runs: [run] }));
};

function rule(code: string): unknown {
  const kind = FINDING_CODES[code];
  return {
    id: code,
    shortDescription: { text: kind?.title ?? code },
    help: { text: kind?.help ?? '' },
  };
}

function result(finding: Finding, ruleIndex: number): unknown {
  const { file, line, column, severity, code, message, hint } = finding;
  const region = line === 0 ? {} : { region: { startLine: line, startColumn: column } };
  const artifactLocation = { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: plainText(hint === undefined ? message : `${message}. ${hint}`) },
    locations: [{ physicalLocation: { artifactLocation, ...region } }],
  };
}

/** Brackets in front of parentheses would be a link: they are escaped (SARIF 2.1.0, 3.11.6). */
function plainText(text: string): string {
  return visible(text).replace(/[[\]](?=[^[\]]*\]?\()/g, String.raw`\$&`);
}
