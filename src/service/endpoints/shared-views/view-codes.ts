// The codes of findings about shared views.
import type { Codes } from '../../../sql/base/finding.ts';

export const VIEW_FILE_CODES: Codes = {
  'shared_view.endpoint_unknown': {
    title: 'A shared view of an endpoint that there is not',
    help: 'endpoint is the name of an endpoint in the folder, with @ and its version for one that is not the default. Until then, the view is not listed.',
  },
  'shared_view.duplicate_name': {
    title: 'Two shared views of an endpoint have one name',
    help: 'The menu lists views by their names. The one whose file was loaded first is listed.',
  },
  'shared_view.parameter_unknown': {
    title: 'A shared view sets a parameter that its endpoint does not have',
    help: 'Keys below parameters are names of parameters of the endpoint.',
  },
  'shared_view.query_disabled': {
    title: 'A shared view with a query that its endpoint does not accept',
    help: 'logs and lql need LQL, and sql needs SQL: enable the sandbox of the endpoint with this language.',
  },
  'shared_view.two_queries': {
    title: 'A shared view with two queries',
    help: 'A view shows one of logs, lql and sql, or the saved query.',
  },
  'shared_view.lql': {
    title: 'A shared view with LQL that cannot be parsed',
    help: 'The message says what is wrong in the filter or the query, at its place.',
  },
};
