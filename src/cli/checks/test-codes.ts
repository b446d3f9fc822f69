// The codes that `millrace test` reports about examples and fixtures are listed here.
import type { Codes } from '../../sql/base/finding.ts';

export const TEST_CODES: Codes = {
  'test.watch': {
    title: 'Unexpected messages of a watch',
    help: 'Correct the watch, its query or the fixtures, or update expect.',
  },
  'fixture.not_a_table': {
    title: 'Rows for a view, or for a dictionary over a query',
    help: 'Give rows for the tables that it reads.',
  },
  'fixture.misnamed': {
    title: 'A file in the fixtures folder that is not a fixture',
    help: 'Name fixtures database.table.ndjson, database.table.csv or anything.sql.',
  },
  'fixture.too_large': {
    title: 'Fixture too large',
    help: 'The limit is 32 MiB: keep only the rows that the examples need.',
  },
  'fixture.reads_outside': {
    title: 'A fixture reaches files, the network or programs',
    help: 'No statement of the file is carried out. Insert the rows themselves, or those of numbers(…). The setting engine_sources (MILLRACE_ENGINE_SOURCES, --engine-sources) names what may be reached: it belongs to the person or the service that runs the files.',
  },
  'test.status': {
    title: 'Unexpected status',
    help: 'Correct the endpoint, or update expect.status.',
  },
  'test.code': {
    title: 'Unexpected problem code',
    help: 'The message has the actual code.',
  },
  'test.columns': {
    title: 'Unexpected columns',
    help: 'Names and their order are compared, because callers rely on both.',
  },
  'test.rows': {
    title: 'Unexpected number of rows',
    help: 'Correct the query or the fixtures, or update expect.rows.',
  },
  'test.truncated': {
    title: 'Unexpected truncation',
    help: 'Rows beyond max_rows are truncated.',
  },
  'test.result': {
    title: 'Unexpected result',
    help: 'The message has the path of the first difference; millrace test --update accepts the actual result.',
  },
  'test.now': {
    title: 'Invalid time in now',
    help: 'Use a time from 1970 to 2105.',
  },
};
