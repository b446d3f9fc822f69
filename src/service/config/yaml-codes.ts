// The codes of findings about YAML, with their meanings and fixes.
import type { CodeText, Codes } from '../../sql/base/finding.ts';

const yaml = (
  title: string,
  help = 'Correct the YAML at this location; an editor with YAML support highlights it as well.',
): CodeText => ({
  title,
  help,
});

export const YAML_CODES: Codes = {
  'yaml.bad_character': yaml(
    'The file is not valid UTF-8, or contains a control character',
    'Save it as UTF-8 and remove the character.',
  ),
  'yaml.too_deep': yaml('The document is nested too deeply'),
  'yaml.unknown_alias': yaml(
    'An alias refers to an unknown anchor',
    'Define the anchor with &name before using *name, or write the value itself.',
  ),
  'yaml.bad_alias': yaml('Invalid alias, or too many aliases', 'Write the values themselves.'),
  'yaml.alias_props': yaml('An alias has an anchor or a tag'),
  'yaml.bad_directive': yaml('Unknown YAML directive (a line that begins with %)'),
  'yaml.bad_dq_escape': yaml(
    'Unknown escape sequence in a double-quoted string',
    String.raw`Write \\ for a backslash, or use single quotes.`,
  ),
  'yaml.bad_indent': yaml(
    'Inconsistent indentation',
    'Indent all keys of a mapping by the same number of spaces.',
  ),
  'yaml.bad_prop_order': yaml('An anchor or tag is in the wrong place'),
  'yaml.bad_scalar_start': yaml('A value cannot begin with this character', 'Quote the value.'),
  'yaml.bad_collection_type': yaml('A tag does not match its value'),
  'yaml.block_as_implicit_key': yaml(
    'A nested mapping begins on the line of its key',
    'Put a value that contains a colon and a space in quotes, or start a new line.',
  ),
  'yaml.block_in_flow': yaml(
    'A mapping begins inside braces or brackets',
    'Put a value that contains a colon and a space in quotes.',
  ),
  'yaml.duplicate_key': yaml('Duplicate key', 'Keep one of them.'),
  'yaml.impossible': yaml('The YAML cannot be parsed'),
  'yaml.key_over_1024_chars': yaml('A key is too long'),
  'yaml.missing_char': yaml('A closing quote, bracket or comma is missing'),
  'yaml.multiline_implicit_key': yaml('A key spans several lines', 'Quote the value, or indent it.'),
  'yaml.multiple_anchors': yaml('A value has several anchors'),
  'yaml.multiple_docs': yaml(
    'The file contains several documents',
    'Write one endpoint per file: remove --- and everything after it.',
  ),
  'yaml.multiple_tags': yaml('A value has several tags'),
  'yaml.non_string_key': yaml('A key is not a string'),
  'yaml.resource_exhaustion': yaml('The document is too large or too deeply nested'),
  'yaml.tab_as_indent': yaml('Tab used for indentation', 'Indent with spaces.'),
  'yaml.tag_resolve_failed': yaml('Unknown tag', 'Remove the tag, which begins with an exclamation mark.'),
  'yaml.unexpected_token': yaml('Unexpected token'),
  'yaml.unquoted_comma': yaml(
    'A value with a comma in braces',
    'Inside braces and brackets, a comma ends a value: put a value such as "Decimal(12, 4)" in quotes.',
  ),
  'yaml.merge_key': yaml(
    'A merge key',
    'YAML 1.2, which endpoint files are written in, has no merge keys (<<): write the keys out, or keep them in a shared file.',
  ),
};
