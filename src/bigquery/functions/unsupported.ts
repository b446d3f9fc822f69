// BigQuery functions that are not translated, and their replacements.

const REPLACEMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    approx_top_count: 'Write GROUP BY with ORDER BY COUNT(*) DESC and LIMIT; in ClickHouse: topK(5)(x).',
    approx_top_sum:
      'Write GROUP BY with ORDER BY SUM(x) DESC and LIMIT; in ClickHouse: topKWeighted(5)(x, weight).',
    percentile_cont: 'Write APPROX_QUANTILES(x, 100)[OFFSET(95)]; in ClickHouse: quantile(0.95)(x).',
    percentile_disc: 'Write APPROX_QUANTILES(x, 100)[OFFSET(95)]; in ClickHouse: quantileExact(0.95)(x).',
    generate_uuid: 'In ClickHouse: generateUUIDv4().',
    rand: 'In ClickHouse: rand().',
    'net.host': 'In ClickHouse: domain(url).',
    'net.reg_domain': 'In ClickHouse: cutToFirstSignificantSubdomain(url).',
    'net.public_suffix': 'In ClickHouse: topLevelDomain(url).',
    'net.ip_from_string': 'In ClickHouse: toIPv6(x).',
    'net.safe_ip_from_string': 'In ClickHouse: toIPv6OrNull(x).',
    'net.ip_to_string': 'In ClickHouse: IPv6NumToString(x).',
    'hll_count.init': 'In ClickHouse: uniqState(x).',
    'hll_count.merge': 'In ClickHouse: uniqMerge(x).',
    regexp_instr: 'In ClickHouse: position(x, extract(x, pattern)).',
    soundex: 'In ClickHouse: soundex(x).',
    edit_distance: 'In ClickHouse: editDistance(a, b).',
    normalize: 'In ClickHouse: normalizeUTF8NFC(x).',
    time: "In ClickHouse: formatDateTime(x, '%T').",
    time_trunc: 'In ClickHouse: toStartOfInterval(x, INTERVAL 1 HOUR).',
    timestamp_bucket: 'In ClickHouse: toStartOfInterval(x, INTERVAL 5 MINUTE).',
    range_bucket: 'In ClickHouse: arrayFirstIndex(b -> x < b, bounds) - 1.',
    session_user: 'The identity of the caller is not available to queries.',
    error: 'ClickHouse SQL has no allowed equivalent.',
    grouping: 'In ClickHouse: grouping(x) with GROUP BY … WITH ROLLUP.',
  }),
);

/** What to write instead of a function that is not translated. */
export function replacementFor(name: string): string | undefined {
  return REPLACEMENTS.get(name.toLowerCase());
}
