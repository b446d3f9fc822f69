// The finding codes of SQL that reaches outside of the tables, with their meaning and fix.
import type { FindingKind } from './finding-kind.ts';

const ALLOW =
  'The setting engine_sources (MILLRACE_ENGINE_SOURCES, --engine-sources) names what may be reached: it belongs to the person or the service that runs the files.';

export const OUTSIDE_KINDS: Readonly<Record<string, FindingKind>> = {
  'query.reads_outside': {
    title: 'The query reaches files, the network or programs',
    help: `The file is not analysed, run or served. Read a table instead. ${ALLOW}`,
  },
  'tables.reads_outside': {
    title: 'A statement of the schema reaches files, the network or programs',
    help: `It is not carried out. As a warning: the table has the columns that the statement names, without what it reads. Engines and dictionaries that are replaced by empty tables have no such finding. ${ALLOW}`,
  },
  'fixture.reads_outside': {
    title: 'A fixture reaches files, the network or programs',
    help: `No statement of the file is carried out. Insert the rows themselves, or those of numbers(…). ${ALLOW}`,
  },
};
