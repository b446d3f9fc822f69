// Remembers in the browser, for each endpoint, how the visitor arranged a part of the page.
import { useMemo, useState } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';

/** Returns the layout and a function that changes parts of it. A property that is not stored, or has another type, is that of `initial`. */
export function useLayoutMemory<Layout extends object>(
  place: string,
  initial: Layout,
): readonly [Layout, (part: Partial<Layout>) => void] {
  const { memory } = useExplorer();
  const stored = useMemo(() => readLayout(memory.layout(place), initial), [place]);
  const [changed, setChanged] = useState<{ readonly place: string; readonly layout: Layout }>();
  const layout = changed?.place === place ? changed.layout : stored;
  return [
    layout,
    (part) => {
      const next = { ...layout, ...part };
      memory.setLayout(place, JSON.stringify(next));
      setChanged({ place, layout: next });
    },
  ];
}

function readLayout<Layout extends object>(text: string | undefined, initial: Layout): Layout {
  const value = parsed(text);
  const isOfType = ([name, each]: [string, unknown]): boolean => {
    const expected: unknown = initial[name as keyof Layout]; // undefined if it is no name of a layout
    return (
      typeof each === typeof expected && Array.isArray(each) === Array.isArray(expected) && each !== null
    );
  };
  return { ...initial, ...Object.fromEntries(Object.entries(value).filter(isOfType)) };
}

function parsed(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
