// Text in which some places are marked, with its hidden characters written out.
import { Fragment } from 'preact';
import { Visible } from './visible.tsx';

interface Props {
  readonly text: string;
  /** Start and end of each place, in order. */
  readonly places: readonly (readonly [number, number])[];
}

export function Marked({ text, places }: Props) {
  if (places.length === 0) return <Visible text={text} />;
  const [first = 0] = places[0] ?? [];
  return (
    <>
      <Visible text={text.slice(0, first)} />
      {places.map(([start, end], i) => (
        <Fragment key={start}>
          <mark>
            <Visible text={text.slice(start, end)} />
          </mark>
          <Visible text={text.slice(end, places[i + 1]?.[0])} />
        </Fragment>
      ))}
    </>
  );
}
