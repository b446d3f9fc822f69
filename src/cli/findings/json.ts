// Findings as JSON: `{"findings": [{file, line, column, severity, code, message, hint}]}`.
import { jsonText } from '../../service/observe/visible-text.ts';
import type { PrintFindings } from './findings.ts';

export const printJson: PrintFindings = ({ findings }, { write }) => {
  write(jsonText({ findings }));
};
