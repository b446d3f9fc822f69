// Finding codes about the redaction of personal data, with their meanings and fixes.
import type { FindingKind } from './finding-kind.ts';

export const PII_KINDS: Readonly<Record<string, FindingKind>> = {
  'pii.hash_without_key': {
    title: 'Hashed columns without a secret',
    help: 'The operator must set MILLRACE_PII_HASH_KEY; otherwise use mask. In validate it is a warning, also with --strict, since CI rarely has the key.',
  },
  'pii.unknown_column': {
    title: 'A redacted column that does not exist',
    help: 'pii.columns names columns of the result, or of the tables for consumer queries, and parts of them: metadata.user.name. A misspelled name redacts nothing.',
  },
  'pii.not_redacted': {
    title: 'A column that is made of a redacted one',
    help: 'pii.columns redacts a stored column under one name, but another result column returns it as well, as it is (an error) or through functions such as upper (a warning). Numbers about many rows, hashes and comparisons need no rule. Give the column a rule, or leave it out.',
  },
  'pii.source_not_redacted': {
    title: 'A read that cannot be redacted at the source',
    help: 'With pii: { at: source }, every table that the query reads is redacted before the query reads it. Table functions, dictionaries, joinGet, tables after IN, PREWHERE, SAMPLE and WITH RECURSIVE cannot be redacted so: write the query without them, or remove at: source.',
  },
  'pii.min_group_without_sandbox': {
    title: 'min_group without consumer queries',
    help: 'pii.min_group suppresses small groups in the results of consumer queries. The author of a saved query writes HAVING count() >= n.',
  },
  'pii.not_analysed': {
    title: 'A query whose columns cannot be followed',
    help: 'The file redacts columns, but validate cannot determine what the columns of this query are made of. Write the query differently, or add an example with values that it accepts.',
  },
};
