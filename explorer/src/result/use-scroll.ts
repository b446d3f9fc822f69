// Tracks the scroll position and height of an element.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

export interface ScrollView {
  readonly top: number;
  readonly height: number;
}

export function useScroll(element: RefObject<HTMLElement | null>): ScrollView {
  const [view, setView] = useState<ScrollView>({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const read = (): void => setView({ top: current.scrollTop, height: current.clientHeight });
    const observer = new ResizeObserver(read);
    observer.observe(current);
    current.addEventListener('scroll', read, { passive: true });
    read();
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', read);
    };
  }, [element]);
  return view;
}
