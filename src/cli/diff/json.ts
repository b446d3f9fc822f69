// Changes as JSON: `{"changes": [{endpoint, class, code, message, file, line}], "exposures": […]}`.
import { exposureJson } from '../exposure/exposure.ts';
import { changesOf, exposuresOf, messageOf, type PrintReport } from './report.ts';

export const printJson: PrintReport = async (report, { print }) => {
  const changes = changesOf(report).map((change) => {
    const { endpoint, class: kind, code, file, line } = change;
    return { endpoint, class: kind, code, message: messageOf(change), file, line };
  });
  print(JSON.stringify({ changes, exposures: exposuresOf(report).map(exposureJson) }, null, 2));
};
