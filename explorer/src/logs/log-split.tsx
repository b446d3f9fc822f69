// The rows, and the open row beside or below them: below, if there is no room for both to be read.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useScroll } from '../result/use-scroll.ts';
import type { LayoutProps } from './log-layout.ts';

interface Props extends LayoutProps {
  readonly children: ComponentChildren;
  readonly panel: (isBelow: boolean) => ComponentChildren;
}

/** Pixels for rows and panel beside each other. */
const ROOMY = 980;

export function LogSplit({ layout, children, panel }: Props) {
  const split = useRef<HTMLDivElement>(null);
  const { width } = useScroll(split);
  const isBelow = layout.panel === 'auto' ? width < ROOMY : layout.panel === 'below';
  return (
    <div class="log-split" ref={split} data-below={isBelow}>
      <div class="log-list">{children}</div>
      {panel(isBelow)}
    </div>
  );
}
