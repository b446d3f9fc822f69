// The output settings that callers may send with a result in ClickHouse's formats: a closed table with the values of each.
import type { EngineFormat } from './clickhouse-formats.ts';

/** Reads a value as sent; its canonical text, or undefined if it is not allowed. */
type ReadValue = (value: string) => string | undefined;

/** Settings with the same values. */
interface Kind {
  /** For messages: `must be …`. */
  readonly values: string;
  readonly read: ReadValue;
}

const FLAG = kind('0 or 1', (value) => {
  const lower = value.toLowerCase();
  if (lower === '1' || lower === 'true') return '1';
  return lower === '0' || lower === 'false' ? '0' : undefined;
});

/** The characters that end or quote a value are rejected by the engine. */
const DELIMITER = kind('one ASCII character other than a quote or a line break', (value) =>
  /^[\t !#-&(-~]$/.test(value) ? value : undefined,
);

const MAX_TEXT = 16;
/** Short, as they may be in place of each value of one byte. */
const TEXT = kind(`at most ${MAX_TEXT} printable characters`, (value) =>
  value.length <= MAX_TEXT && !/[\p{Cc}\p{Surrogate}]/u.test(value) ? value : undefined,
);

const TABLE: ReadonlyMap<string, Kind> = new Map([
  ...each(
    FLAG,
    `extremes date_time_64_output_format_cut_trailing_zeros_align_to_groups_of_thousands low_cardinality_allow_in_native_format
    output_format_always_write_decimal_point_in_float_and_decimal output_format_decimal_trailing_zeros
    output_format_trim_fixed_string output_format_write_statistics output_format_tsv_crlf_end_of_line
    output_format_values_escape_quote_with_quote output_format_markdown_escape_special_characters
    output_format_orc_string_as_string output_format_bson_string_as_string`,
  ),
  ...each(
    FLAG,
    `array_of_rows escape_forward_slashes map_as_array_of_tuples named_tuples_as_objects pretty_print quote_64bit_floats
    quote_64bit_integers quote_decimals quote_denormals skip_null_value_in_named_tuples validate_utf8`,
    'output_format_json_',
  ),
  ...each(
    FLAG,
    'crlf_end_of_line serialize_tuple_into_separate_columns header_serialize_tuple_into_separate_columns',
    'output_format_csv_',
  ),
  ...each(FLAG, 'include_column_names quote_names use_replace', 'output_format_sql_insert_'),
  ...each(FLAG, 'encode_types_in_binary_format write_json_as_string', 'output_format_binary_'),
  ...each(
    FLAG,
    'encode_types_in_binary_format use_flattened_dynamic_and_json_serialization',
    'output_format_native_',
  ),
  ...each(
    FLAG,
    `date_as_uint16 fixed_string_as_fixed_byte_array string_as_string
    unsupported_types_as_binary use_64_bit_indexes_for_dictionary use_signed_indexes_for_dictionary`,
    'output_format_arrow_',
  ),
  ...each(
    FLAG,
    `compliant_nested_types date_as_uint16 datetime_as_uint32 enum_as_byte_array fixed_string_as_fixed_byte_array
    geometadata string_as_string unsupported_types_as_binary write_bloom_filter write_page_index`,
    'output_format_parquet_',
  ),
  ...each(
    FLAG,
    `display_footer_column_names fallback_to_vertical highlight_digit_groups highlight_trailing_spaces
    max_value_width_apply_for_single_value multiline_fields named_tuples_as_json row_numbers use_nbsp_for_padding`,
    'output_format_pretty_',
  ),
  ...each(
    numbers(0, 100_000),
    `display_footer_column_names_min_rows fallback_to_vertical_max_rows_per_chunk fallback_to_vertical_min_columns
    fallback_to_vertical_min_table_width max_column_name_width_cut_to max_column_name_width_min_chars_to_cut
    max_rows max_value_width`,
    'output_format_pretty_',
  ),
  // Dictionaries and paths of documents are written as they are stored, with those of other tenants' rows.
  ['output_format_arrow_low_cardinality_as_dictionary', oneOf('0')],
  ['output_format_native_write_json_as_string', oneOf('1')],
  ['output_format_pretty_max_column_pad_width', numbers(0, 250)], // every value is padded to it: no more than the default
  ['output_format_pretty_single_large_number_tip_threshold', numbers(0, 2 ** 53 - 1)],
  ['output_format_pretty_grid_charset', oneOf('UTF-8', 'ASCII')],
  ['output_format_pretty_color', oneOf('0')], // escape sequences are for terminals only
  ['output_format_float_precision', numbers(0, 17)],
  ['output_format_sql_insert_max_batch_size', numbers(1, 1_000_000)],
  ['output_format_avro_rows_in_file', numbers(1, 1_000_000)],
  ['output_format_avro_codec', oneOf('null', 'deflate', 'snappy', 'zstd')],
  ['output_format_parquet_row_group_size', numbers(1000, 10_000_000)],
  ['output_format_parquet_version', oneOf('1.0', '2.4', '2.6', '2.latest')],
  ['output_format_parquet_compression_method', oneOf('none', 'snappy', 'zstd', 'lz4', 'gzip', 'brotli')],
  ['output_format_arrow_compression_method', oneOf('none', 'lz4_frame', 'zstd')],
  ['output_format_orc_compression_method', oneOf('none', 'lz4', 'snappy', 'zstd', 'zlib')],
  ['output_format_msgpack_uuid_representation', oneOf('bin', 'str', 'ext')],
  ['date_time_output_format', oneOf('simple', 'iso', 'unix_timestamp')],
  ['interval_output_format', oneOf('numeric', 'kusto')],
  ['format_csv_delimiter', DELIMITER],
  ...each(
    TEXT,
    `format_csv_null_representation format_tsv_null_representation bool_true_representation bool_false_representation
    format_json_object_each_row_column_for_object_name output_format_sql_insert_table_name`,
  ),
]);

/** All settings of the table with their values, in order of their names. */
export const OUTPUT_SETTINGS: readonly { readonly name: string; readonly values: string }[] = [...TABLE]
  .map(([name, { values }]) => ({ name, values }))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Returns whether callers may send the setting. */
export function isOutputSetting(name: string): boolean {
  return TABLE.has(name);
}

/** What is wrong with the value of a setting, such as `must be 0 or 1`; undefined if nothing is. */
export function outputSettingFault(name: string, value: string): string | undefined {
  const known = TABLE.get(name);
  if (known === undefined) return 'is not supported';
  return known.read(value) === undefined ? `must be ${known.values}` : undefined;
}

/**
 * A format with output settings as sent, in canonical form: equal settings, however written, are one format. Throws RangeError for
 * settings that `outputSettingFault` rejects.
 */
export function withOutputSettings(
  { engine, resultRows }: Pick<EngineFormat, 'engine' | 'resultRows'>,
  sent: Iterable<readonly [name: string, value: string]>,
): EngineFormat {
  const settings = [...sent].map(([name, value]) => {
    const canonical = TABLE.get(name)?.read(value);
    if (canonical === undefined) throw new RangeError(`${name} ${outputSettingFault(name, value) ?? ''}`);
    return [name, canonical] as const;
  });
  const ordered = settings.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    engine,
    settings: Object.fromEntries(ordered),
    ...(resultRows === undefined ? {} : { resultRows }),
  };
}

function kind(values: string, read: ReadValue): Kind {
  return { values, read };
}

function numbers(least: number, most: number): Kind {
  return kind(`an integer from ${least} to ${most}`, (value) => {
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? String(number) : undefined;
  });
}

function oneOf(...values: readonly string[]): Kind {
  return kind(values.join(', '), (value) => {
    const isFlag = values.length === 1 && FLAG.read(values[0] ?? '') !== undefined;
    const canonical = isFlag ? (FLAG.read(value) ?? value) : value;
    return values.includes(canonical) ? canonical : undefined;
  });
}

function each(what: Kind, names: string, prefix = ''): readonly (readonly [name: string, what: Kind])[] {
  return names.split(/\s+/).map((name) => [`${prefix}${name}`, what] as const);
}
