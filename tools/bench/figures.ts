// The measuring method: contenders alternate, round after round; results are medians.

/** One contender's result in one round: responses per second, and p50 and p99 in the row's unit. */
export interface Figure {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** One call reads so much, by the engine's own statistics. */
  readonly read?: { readonly rows: number; readonly bytes: number };
}

export interface Contender {
  readonly name: string;
  readonly measure: () => Promise<Figure>;
  /** The target; undefined if the row has none. */
  readonly bar?: Bar;
}

export interface Bar {
  /** The target as displayed, e.g. `at least 0.7 x`. */
  readonly text: string;
  readonly isMet: (figure: Figure, reference: Figure) => boolean;
}

/** Contenders measured in alternation; the first is the reference. */
export interface Row {
  readonly name: string;
  /** Unit of p50 and p99; milliseconds by default. */
  readonly unit?: string;
  readonly contenders: readonly Contender[];
}

export interface Result {
  readonly row: string;
  readonly contender: string;
  readonly unit: string;
  readonly median: Figure;
  /** Its rate divided by the reference's rate. */
  readonly toReference: number;
  readonly bar: { readonly text: string; readonly isMet: boolean } | undefined;
}

/** Measures every contender once as warm-up, then once per round. */
export async function measureRow(
  { name, unit = 'ms', contenders }: Row,
  rounds: number,
  note: (line: string) => void,
): Promise<readonly Result[]> {
  const figures = new Map<Contender, Figure[]>(contenders.map((each) => [each, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [contender, all] of figures) {
      note(`${name}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${contender.name}`);
      const figure = await contender.measure();
      if (round > 0) all.push(figure);
    }
  }
  const medians = [...figures].map(([contender, all]) => ({ contender, median: medianFigure(all) }));
  const reference = medians[0]?.median ?? { rate: 1, p50: 1, p99: 1 };
  return medians.map(({ contender: { name: contender, bar }, median }) => ({
    row: name,
    contender,
    unit,
    median,
    toReference: median.rate / reference.rate,
    bar: bar && { text: bar.text, isMet: bar.isMet(median, reference) },
  }));
}

function medianFigure(figures: readonly Figure[]): Figure {
  const median = (key: 'rate' | 'p50' | 'p99'): number =>
    figures.map((each) => each[key]).toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
  const read = figures.at(-1)?.read;
  return { rate: median('rate'), p50: median('p50'), p99: median('p99'), ...(read && { read }) };
}

/** Target: at least this fraction of the reference's rate. */
export function atLeast(share: number): Bar {
  return { text: `at least ${share} x`, isMet: ({ rate }, reference) => rate >= share * reference.rate };
}

/** Target: p50 of at most this value, in the row's unit. */
export function within(most: number, unit = 'ms'): Bar {
  return { text: `p50 at most ${most} ${unit}`, isMet: ({ p50 }) => p50 <= most };
}

export function quickest(most: number): Bar {
  return { text: `p99 at most ${most} ms`, isMet: ({ p99 }) => p99 <= most };
}
