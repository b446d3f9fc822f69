// Prints affected consumer queries for a terminal, and as JSON.
import { jsonText, visible } from '../../../service/observe/visible-text.ts';
import type { Impact } from '../../compare/consumers/impact.ts';
import type { Style } from '../../kit/terminal.ts';
import { listed, locate, messageOf, summaryOf, type PrintImpact } from './report.ts';

const STYLES: Readonly<Record<Impact, Style>> = {
  breaks: 'red',
  unknown: 'yellow',
  affected: 'dim',
  unaffected: 'green',
};

/** The summary, then each query that breaks, is unknown or is affected, with the reasons. */
export const printText: PrintImpact = ({ base, head, impacts, notes }, { print, note, paint }) => {
  print(visible(`${summaryOf(impacts)} (${base} → ${head})`));
  for (const each of listed(impacts)) {
    const { query, impact, endpoint, reasons } = each;
    const name = query.name === query.source ? query.name : `${query.name} (${query.source})`;
    const owner = query.owner === undefined ? '' : ` of ${query.owner}`;
    const of = endpoint === undefined ? '' : `, ${endpoint.name}`;
    print('');
    print(`${paint(STYLES[impact], impact)} ${paint('bold', visible(name))}${visible(owner + of)}`);
    for (const reason of reasons) print(`    ${visible(messageOf(each, reason))}`);
  }
  for (const each of notes) note(visible(each));
};

/** `{"base", "head", "queries": [{name, source, owner, endpoint, dialect, impact, reasons}]}`, with all queries. */
export const printJson: PrintImpact = ({ base, head, impacts }, { write }) => {
  const queries = impacts.map((each) => {
    const { name, source, owner = null, language, dialect = null } = each.query;
    const reasons = each.reasons.map((reason) => {
      const { kind, message, table = null, path = null } = reason;
      const { line = null, column = null } = locate(each, reason) ?? {};
      return { kind, message, table, path, line, column };
    });
    const endpoint = each.endpoint?.name ?? each.query.endpoint ?? null;
    return { name, source, owner, endpoint, language, dialect, impact: each.impact, reasons };
  });
  write(jsonText({ base, head, queries }));
};
