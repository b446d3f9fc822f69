// The settings of an engine, for the script that writes them to a file and the test that compares the two.

/** Settings with the same type, default and tier. */
export type EngineSettingRow = readonly [type: string, value: string, tier: string, names: string];

/** Defaults that depend on the machine are `auto`. */
const QUERY = `
SELECT type, if(default LIKE 'auto(%', 'auto', default) AS value, toString(tier) AS tier, arrayStringConcat(arraySort(groupArray(name)), ' ') AS names
FROM system.settings GROUP BY type, value, tier ORDER BY type, value, tier`;

/** `query` returns rows in JSONCompactEachRow. */
export function engineSettings(query: (sql: string) => string): readonly EngineSettingRow[] {
  return query(QUERY)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EngineSettingRow); // the columns of the query above
}
