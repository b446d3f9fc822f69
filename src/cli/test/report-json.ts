// A report as JSON: `{"passed", "failed", "updated", "ms", "findings": [finding], "examples": [{endpoint, example,
// file, line, column, outcome, ms, failures: [finding]}]}`.
import { countOf, type PrintReport } from './report.ts';

export const printJson: PrintReport = (report, { print }) => {
  const { findings, examples, ms } = report;
  const counts = {
    passed: countOf(report, 'passed'),
    failed: countOf(report, 'failed'),
    updated: countOf(report, 'updated'),
    ms: Math.round(ms),
  };
  const rounded = examples.map((each) => ({ ...each, ms: Math.round(each.ms) }));
  print(JSON.stringify({ ...counts, findings, examples: rounded }, null, 2));
};
