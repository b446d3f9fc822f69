// A report as JUnit XML for CI services: one suite per endpoint, one case per example
// (https://github.com/testmoapp/junitxml).
import { lineText } from '../../../service/observe/visible-text.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { CaseReport, PrintReport } from './report.ts';

export const printJunit: PrintReport = ({ examples, findings, ms }, { write }) => {
  const suites = [...new Set(examples.map(({ endpoint }) => endpoint))].map((name) =>
    suite(
      name,
      examples.filter(({ endpoint }) => endpoint === name),
    ),
  );
  if (findings.length > 0) suites.unshift(findingsSuite(findings));
  const failed = examples.filter(({ outcome }) => outcome === 'failed').length + findings.length;
  const tests = examples.length + findings.length;
  const head = `<testsuites name="millrace test"${attributes({ tests, failures: failed, time: seconds(ms) })}>`;
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', head, ...suites.flat(), '</testsuites>'];
  write(`${lines.join('\n')}\n`);
};

function suite(name: string, cases: readonly CaseReport[]): readonly string[] {
  const failures = cases.filter(({ outcome }) => outcome === 'failed').length;
  const time = seconds(cases.reduce((sum, { ms }) => sum + ms, 0));
  const head = `  <testsuite${attributes({ name, tests: cases.length, failures, time })}>`;
  return [head, ...cases.flatMap(testcase), '  </testsuite>'];
}

function testcase({ endpoint, example, file, line, ms, failures }: CaseReport): readonly string[] {
  const head = `    <testcase${attributes({ classname: endpoint, name: example, file, line, time: seconds(ms) })}`;
  if (failures.length === 0) return [`${head}/>`];
  return [`${head}>`, ...failures.map(failure), '    </testcase>'];
}

/** Files that cannot be tested are reported as failures in a separate suite. */
function findingsSuite(findings: readonly Finding[]): readonly string[] {
  const head = `  <testsuite${attributes({ name: 'files', tests: findings.length, failures: findings.length })}>`;
  const cases = findings.flatMap((finding) => {
    const { file, line, code } = finding;
    const at = attributes({ classname: 'files', name: `${file}: ${code}`, file, line });
    return [`    <testcase${at}>`, failure(finding), '    </testcase>'];
  });
  return [head, ...cases, '  </testsuite>'];
}

function failure({ file, line, column, code, message, hint }: Finding): string {
  const location = line === 0 ? file : `${file}:${line}:${column}`;
  const body = [`${location} ${message}`, ...(hint === undefined ? [] : [hint])].map(lineText).join('\n');
  return `      <failure${attributes({ message, type: code })}>${escape(body)}</failure>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escape(lineText(String(value)))}"`)
    .join('');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}
