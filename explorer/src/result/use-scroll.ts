// Tracks the scroll position and size of an element, in steps, so that small movements do not render again.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

export interface ScrollView {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** Less than what is rendered outside the visible area. */
const STEP = 60;

export function useScroll(element: RefObject<HTMLElement | null>): ScrollView {
  const [view, setView] = useState<ScrollView>({ top: 0, left: 0, height: 800, width: 1200 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const read = (): void => {
      const { scrollTop, scrollLeft, clientHeight: height, clientWidth: width } = current;
      const next = { top: step(scrollTop), left: step(scrollLeft), height, width };
      setView((view) => (isSame(view, next) ? view : next));
    };
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

function step(pixels: number): number {
  return Math.floor(pixels / STEP) * STEP;
}

function isSame(a: ScrollView, b: ScrollView): boolean {
  return a.top === b.top && a.left === b.left && a.height === b.height && a.width === b.width;
}
