// Changes as JSON: `{"changes": [{endpoint, class, code, message, file, line}], "exposures": […]}`.
import { jsonText } from '../../../service/observe/visible-text.ts';
import { exposureJson } from '../exposure/exposure.ts';
import { changesOf, exposuresOf, messageOf, type PrintReport } from './report.ts';

export const printJson: PrintReport = async (report, { write }) => {
  const changes = changesOf(report).map((change) => {
    const { endpoint, class: kind, code, file, line } = change;
    return { endpoint, class: kind, code, message: messageOf(change), file, line };
  });
  write(jsonText({ changes, exposures: exposuresOf(report).map(exposureJson) }));
};
