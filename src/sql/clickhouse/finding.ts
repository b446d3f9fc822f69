// What is wrong at a location in an SQL query.
import type { Codes, TextFinding, TextSpan } from '../base/finding.ts';

export const SQL_CODES: Codes = {
  'query.empty': {
    title: 'The query is empty',
    help: 'Write one SELECT.',
  },
  'query.unexpected_character': {
    title: 'Unexpected character in SQL',
    help: 'Remove it, or quote it.',
  },
  'query.unclosed_comment': {
    title: 'Unclosed comment',
    help: 'Close it with */.',
  },
  'query.unclosed_string': {
    title: 'Unclosed string',
    help: 'Close it with a quote; double a quote inside the string.',
  },
  'query.unclosed_identifier': {
    title: 'Unclosed quoted identifier',
    help: 'Close it with the same quote character that opens it.',
  },
  'query.stray_exclamation_mark': {
    title: 'Stray exclamation mark',
    help: 'It is valid only in !=.',
  },
  'query.number_invalid': {
    title: 'Neither a number nor an identifier',
    help: 'Quote an identifier that begins with a digit.',
  },
  'query.unbalanced_bracket': {
    title: 'Unbalanced parenthesis, bracket or brace',
    help: 'Close it, or remove it.',
  },
  'query.stray_at': {
    title: 'An @ without a parameter name',
    help: 'Write @name, preceded by an operator or a space.',
  },
  'query.parameter_name': {
    title: 'Invalid parameter name',
    help: 'Use at most 64 letters, digits and underscores, not beginning with a digit.',
  },
  'query.typed_placeholder': {
    title: 'A ClickHouse placeholder, {name:Type}',
    help: 'Write @name and declare its type under parameters.',
  },
  'query.choice_empty': {
    title: 'An empty fragment',
    help: 'A choice is an expression or a list of them, without an empty element.',
  },
  'query.choice_clause': {
    title: 'A clause in a fragment',
    help: 'A choice is an expression or a list of them, such as timestamp DESC, and not FROM, WHERE, GROUP BY or another clause. Write the clause in the query. Quote the name of a column that is a keyword.',
  },
  'query.part_unclosed': {
    title: 'An optional part without an end',
    help: 'Write /* end */ (or -- end on a line of its own) after the part.',
  },
  'query.part_unopened': {
    title: 'The end of an optional part that does not begin',
    help: 'Write /* if @name */ before the part, or remove the comment.',
  },
  'query.part_empty': {
    title: 'An empty optional part',
    help: 'Write SQL between the comments, or remove both.',
  },
  'query.part_marker': {
    title: 'An unknown comment of an optional part, or too many parts',
    help: 'A part begins with /* if @a */, /* if not @a */, /* if @a = value */ or several of them with and, and ends with /* end */. For an else, write a second part with not. At most 100 parts, nested at most 8 deep.',
  },
  'query.part_unbalanced': {
    title: 'Unmatched brackets in an optional part',
    help: 'Each bracket that is opened in a part is closed in it.',
  },
  'query.part_or': {
    title: 'OR in an optional part',
    help: 'With OR at its top level, a part would widen the condition that it is added to. Write AND (a OR b).',
  },
  'query.several_statements': {
    title: 'Multiple statements',
    help: 'A saved query is a single SELECT.',
  },
  'query.into_outfile': {
    title: 'INTO OUTFILE',
    help: 'A saved query cannot write files.',
  },
  'query.format_clause': {
    title: 'A FORMAT clause',
    help: 'Remove it: the caller chooses the format.',
  },
  'query.not_select': {
    title: 'Not a SELECT',
    help: 'A saved query is a SELECT, optionally with a WITH clause.',
  },
  'query.with_invalid': {
    title: 'Invalid WITH clause',
    help: 'Write name AS (SELECT …) or expression AS name, separated by commas.',
  },
  'query.with_duplicate': {
    title: 'Duplicate name in the WITH clause',
    help: 'Rename one of them.',
  },
  'query.settings_invalid': {
    title: 'Invalid SETTINGS clause',
    help: 'Write SETTINGS name = value, … at the end of the query.',
  },
  'query.identifier_escaped': {
    title: 'A backslash in a quoted identifier',
    help: 'Choose a name without a backslash.',
  },
};

export type SqlFinding = TextFinding & TextSpan;
