// Shows in place of rows the patterns of their messages, or the differences between a part of the time range and the rest.
import { useState } from 'preact/hooks';
import { ProblemCard } from '../parts/problem-card.tsx';
import { Visible } from '../parts/visible.tsx';
import { counted } from '../parts/words.ts';
import { preview } from '../service/json.ts';
import { useExplorer } from '../state/context.ts';
import { boundsAt, fixedRange, type TimeRange } from '../time-range/range.ts';
import type { Difference } from './differences.ts';
import { WILDCARD } from './drain.ts';
import { FilterButtons } from './filter-buttons.tsx';
import { withPattern, type Pattern } from './patterns.ts';
import { canSendSql, type Bounds } from './questions.ts';
import { bucketText } from './times.ts';
import { useDifferences, usePatterns, type Analysis } from './use-analysis.ts';
import type { Logs } from './use-logs.ts';

const MODES = { rows: 'Rows', patterns: 'Patterns', differences: 'Differences' } as const;
export type LogMode = keyof typeof MODES;

export interface LogAnalysisState {
  readonly mode: LogMode;
  readonly setMode: (mode: LogMode) => void;
  /** The part of the time range that is compared with the rest. */
  readonly part: Bounds | undefined;
  /** A choice of the histogram: a part to compare, or else the time range. */
  readonly onRange: (range: TimeRange) => void;
}

export function useLogAnalysis({ change, question }: Logs): LogAnalysisState {
  const { page } = useExplorer();
  const [mode, setMode] = useState<LogMode>('rows');
  const [chosen, setChosen] = useState<Bounds>();
  const { from, to } = question.bounds;
  return {
    mode,
    setMode,
    part: chosen !== undefined && chosen.to > from && chosen.from < to ? chosen : undefined,
    onRange: (range) => {
      if (mode === 'differences') setChosen(boundsAt(range, page.epoch()));
      else change({ range });
    },
  };
}

export function LogModes({ mode, setMode }: LogAnalysisState) {
  return (
    <div class="log-modes" role="group" aria-label="Show">
      {(Object.keys(MODES) as readonly LogMode[]).map((name) => (
        // the names of the constant
        <button
          key={name}
          type="button"
          class="chip small"
          aria-pressed={name === mode}
          onClick={() => setMode(name)}
        >
          {MODES[name]}
        </button>
      ))}
    </div>
  );
}

interface AnalysisProps {
  readonly logs: Logs;
  readonly state: LogAnalysisState;
}

export function LogAnalysis({ logs, state }: AnalysisProps) {
  return state.mode === 'patterns' ? (
    <LogPatterns logs={logs} state={state} />
  ) : (
    <LogDifferences logs={logs} state={state} />
  );
}

function LogPatterns({ logs, state: { setMode } }: AnalysisProps) {
  const patterns = usePatterns(logs);
  const { value, isLoading, total } = patterns;
  if (logs.view.message === undefined)
    return <p class="empty-note">This table has no message: its log view can name one.</p>;
  const show = (pattern: Pattern): void => {
    logs.onFilter(withPattern(logs.filter, pattern.template));
    setMode('rows');
  };
  return (
    <section class="log-analysis" aria-label="Patterns of messages" aria-busy={isLoading}>
      <Failure analysis={patterns} logs={logs} />
      {value !== undefined && (
        <p class="note" role="status">
          {counted(value.patterns.length, 'pattern')} in {sampleText(value.rows, total)}
        </p>
      )}
      <ol class="log-patterns">
        {value?.patterns.slice(0, MAX_SHOWN).map((pattern) => (
          <li key={pattern.template}>
            <PatternLine pattern={pattern} bounds={logs.question.bounds} onShow={() => show(pattern)} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const MAX_SHOWN = 200;
/** Times in longer ranges are shown with their date. */
const HALF_A_DAY = 12 * 3_600_000;

function sampleText(rows: number, total: number | undefined): string {
  if (total === undefined || total <= rows) return counted(rows, 'row');
  return `a sample of ${rows.toLocaleString('en')} of ${counted(total, 'row')}`;
}

interface PatternProps {
  readonly pattern: Pattern;
  readonly bounds: Bounds;
  readonly onShow: () => void;
}

function PatternLine({ pattern, bounds, onShow }: PatternProps) {
  const { zone } = useExplorer();
  const { template, rows, share, course, first, last } = pattern;
  const textAt = (ms: number): string =>
    bucketText(ms, bounds.to - bounds.from > HALF_A_DAY ? 60_000 : 1, zone.value);
  return (
    <div class="log-pattern">
      <Course course={course} />
      <span class="pattern-rows">{rows.toLocaleString('en')}</span>
      <span class="pattern-share">{percent(share)}</span>
      <span class="pattern-times">
        {textAt(first)} – {textAt(last)}
      </span>
      <button type="button" class="pattern-text mono" title="Only rows of this pattern" onClick={onShow}>
        {template.split(WILDCARD).map((part, index) => (
          <>
            {index > 0 && <span class="wildcard">∗</span>}
            <Visible text={part} />
          </>
        ))}
      </button>
    </div>
  );
}

/** Rows in equal parts of the time range, as bars. */
function Course({ course }: Pick<Pattern, 'course'>) {
  const most = Math.max(1, ...course);
  return (
    <svg
      class="pattern-course"
      viewBox={`0 0 ${course.length} 16`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {course.map((rows, index) => (
        <rect
          key={index}
          x={index + 0.1}
          width={0.8}
          y={16 - (rows / most) * 16}
          height={rows === 0 ? 0 : Math.max(1, (rows / most) * 16)}
        />
      ))}
    </svg>
  );
}

function LogDifferences({ logs, state: { part, onRange } }: AnalysisProps) {
  const { zone } = useExplorer();
  const differences = useDifferences(logs, part);
  const { value, isLoading, total } = differences;
  const histogram = logs.store.histogram.value.value;
  if (!canSendSql(logs.question))
    return <p class="empty-note">Differences need SQL, which this endpoint or your key does not allow.</p>;
  const highest = histogram?.buckets.toSorted((a, b) => b.rows - a.rows)[0];
  const textAt = (ms: number): string => bucketText(ms, histogram?.width ?? 1, zone.value);
  return (
    <section class="log-analysis" aria-label="Differences" aria-busy={part !== undefined && isLoading}>
      <p class="note">
        {part === undefined
          ? 'Select a part of the histogram: drag over it, or choose bars by arrow keys and press Enter. '
          : `${textAt(part.from)} to ${textAt(part.to)}, compared with the rest. Select another part of the histogram, or `}
        {histogram !== undefined && highest !== undefined && (
          <button
            type="button"
            class="chip small"
            onClick={() => onRange(fixedRange(highest.start, highest.start + histogram.width))}
          >
            Compare the highest bar
          </button>
        )}
      </p>
      <Failure analysis={differences} logs={logs} />
      {part !== undefined && value !== undefined && (
        <>
          <p class="note" role="status">
            {value.differences.length === 0
              ? 'No value is clearly more frequent in this part'
              : `${counted(value.differences.length, 'value')} more frequent in this part`}
            : {counted(value.inside, 'row')} compared with {value.outside.toLocaleString('en')}, of{' '}
            {sampleText(value.inside + value.outside, total)}
          </p>
          <ol class="log-differences">
            {value.differences.map((difference) => (
              <li key={`${difference.target.path} ${preview(difference.value, 200)}`}>
                <DifferenceLine {...{ difference, logs }} inside={value.inside} outside={value.outside} />
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

interface DifferenceProps {
  readonly difference: Difference;
  readonly logs: Logs;
  /** All rows of the part, and of the rest. */
  readonly inside: number;
  readonly outside: number;
}

function DifferenceLine({ difference, logs: { filter, onFilter }, inside, outside }: DifferenceProps) {
  const { target, value } = difference;
  const text = value === null ? 'no value' : preview(value, 120) || 'empty';
  const shares = [
    difference.inside / Math.max(1, inside),
    difference.outside / Math.max(1, outside),
  ] as const;
  return (
    <div class="log-difference">
      <span class="mono difference-name">
        <Visible text={target.path.replace(/^metadata\./, '')} />
      </span>
      <span class="mono difference-value">
        <Visible text={text} />
      </span>
      <Share share={shares[0]} label="here" />
      <Share share={shares[1]} label="elsewhere" />
      <FilterButtons {...{ target, value, text, filter, onFilter }} />
    </div>
  );
}

function Share({ share, label }: { readonly share: number; readonly label: string }) {
  return (
    <span class="difference-share" data-label={label} style={{ '--share': percent(share).replace('< ', '') }}>
      {percent(share)} {label}
    </span>
  );
}

function percent(share: number): string {
  if (share > 0 && share < 0.001) return '< 0.1%';
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`;
}

function Failure({ analysis, logs }: { readonly analysis: Analysis<unknown>; readonly logs: Logs }) {
  const { problem, isLoading, value } = analysis;
  if (problem !== undefined) return <ProblemCard problem={problem} onRetry={logs.reload} />;
  return isLoading && value === undefined ? <p class="note">Computing…</p> : null;
}
