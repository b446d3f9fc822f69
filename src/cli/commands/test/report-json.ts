// A report as JSON: `{"passed", "failed", "updated", "ms", "findings": [finding], "examples": [{endpoint, example,
// file, line, column, outcome, ms, failures: [finding]}]}`.
import { jsonText } from '../../../service/observe/visible-text.ts';
import { countOf, type PrintReport } from './report.ts';

export const printJson: PrintReport = (report, { write }) => {
  const { findings, examples, ms } = report;
  const counts = {
    passed: countOf(report, 'passed'),
    failed: countOf(report, 'failed'),
    updated: countOf(report, 'updated'),
    ms: Math.round(ms),
  };
  const rounded = examples.map((each) => ({ ...each, ms: Math.round(each.ms) }));
  write(jsonText({ ...counts, findings, examples: rounded }));
};
