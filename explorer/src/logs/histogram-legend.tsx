// The severities of the histogram with their numbers of rows; each is a button that filters the rows by it.
import type { HistogramView } from './histogram.ts';
import { severitiesOf, withSeverities, type LevelField } from './severity-filter.ts';
import { SEVERITIES } from './severity.ts';

export interface LegendProps extends Pick<HistogramView, 'buckets'> {
  /** It is undefined if the filter cannot name the level. */
  readonly level: LevelField | undefined;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

export function HistogramLegend({ buckets, level, filter, onFilter }: LegendProps) {
  const selected = level === undefined ? SEVERITIES : severitiesOf(filter, level);
  const isFiltered = selected.length < SEVERITIES.length;
  const sums = SEVERITIES.map((severity) => ({
    severity,
    rows: buckets.reduce((sum, { counts }) => sum + counts[severity], 0),
    isPressed: isFiltered && selected.includes(severity),
  }));
  return (
    <ul class="log-legend" aria-label="Rows by severity">
      {sums
        .filter(
          ({ severity, rows, isPressed }) => rows > 0 || isPressed || (isFiltered && severity !== 'other'),
        )
        .map(({ severity, rows, isPressed }) => (
          <li key={severity} data-severity={severity}>
            {level === undefined ? (
              <span>
                {severity} {rows.toLocaleString('en')}
              </span>
            ) : (
              <button
                type="button"
                aria-pressed={isPressed}
                title={isPressed ? `Without only ${severity}` : `Only ${severity}; more can be added`}
                onClick={() => {
                  const others = isFiltered ? selected.filter((each) => each !== severity) : [];
                  onFilter(withSeverities(filter, level, isPressed ? others : [...others, severity]));
                }}
              >
                {severity} {!isFiltered || isPressed ? rows.toLocaleString('en') : ''}
              </button>
            )}
          </li>
        ))}
    </ul>
  );
}
