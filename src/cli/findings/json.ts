// Findings as JSON: `{"findings": [{file, line, column, severity, code, message, hint}]}`.
import type { PrintFindings } from './findings.ts';

export const printJson: PrintFindings = ({ findings }, { print }) => {
  print(JSON.stringify({ findings }, null, 2));
};
