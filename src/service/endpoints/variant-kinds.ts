// Findings about choices and optional parts of queries.
import type { FindingKind } from './finding-kind.ts';

export const VARIANT_KINDS: Readonly<Record<string, FindingKind>> = {
  'choice.key_misplaced': {
    title: 'A key that does not apply to choices, or only to choices',
    help: 'The values of a parameter with choices are the names under choices: it has no type and no constraints. multiple: true accepts several of them.',
  },
  'choice.without_value': {
    title: 'A choice without a value',
    help: 'Calls that do not send the parameter need a default. Without one, the parameter is required, or used only in optional parts that depend on it.',
  },
  'query.choice_empty': {
    title: 'An empty fragment',
    help: 'A choice is an expression or a list of them, without an empty element.',
  },
  'query.choice_clause': {
    title: 'A clause in a fragment',
    help: 'A choice is an expression or a list of them, such as timestamp DESC, and not FROM, WHERE, GROUP BY or another clause. Write the clause in the query. Quote the name of a column that is a keyword.',
  },
  'query.choice_nested': {
    title: 'A choice in a choice',
    help: 'A fragment may use parameters with a type. Other choices and optional parts are written in the query.',
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
  'query.part_undeclared': {
    title: 'An optional part depends on a parameter that is not declared',
    help: 'Declare the parameter, or correct the name.',
  },
  'query.part_always': {
    title: 'An optional part that is always there, or never',
    help: 'A parameter that is required or has a default has a value in every call; a Bool counts as given if it is true, an Array if it is not empty.',
  },
  'query.part_value': {
    title: 'An optional part for a value that the parameter never has',
    help: 'if @a = value compares with a name of a choice, or with a value that the parameter accepts, written as in its enum: text, an integer, a Date, true or false. Lists are not compared.',
  },
  'query.too_many_variants': {
    title: 'Too many choices and optional parts',
    help: 'Every combination is analysed if there are at most 64, otherwise every pair in at most 128 combinations. Remove choices or parts, or divide the endpoint.',
  },
};
