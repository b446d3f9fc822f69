// Changes as JSON: `{"changes": [{endpoint, class, code, message, file, line}]}`.
import { changesOf, messageOf, type PrintReport } from './report.ts';

export const printJson: PrintReport = async (report, { print }) => {
  const changes = changesOf(report).map((change) => {
    const { endpoint, class: kind, code, file, line } = change;
    return { endpoint, class: kind, code, message: messageOf(change), file, line };
  });
  print(JSON.stringify({ changes }, null, 2));
};
