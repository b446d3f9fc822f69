// The frame of the facets, which fold to leave the rows more space.
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';
import type { LayoutProps } from './log-layout.ts';

export function SideFold({
  layout,
  onLayout,
  children,
}: LayoutProps & { readonly children: ComponentChildren }) {
  const isFolded = layout.isSideFolded;
  return (
    <nav class="logs-side" aria-label="Facets" data-folded={isFolded}>
      <button
        type="button"
        class="logs-side-fold"
        aria-expanded={!isFolded}
        aria-label="Facets"
        title={isFolded ? 'Show the facets' : 'Hide the facets'}
        onClick={() => onLayout({ isSideFolded: !isFolded })}
      >
        <Icon name="open" />
        {!isFolded && 'Facets'}
      </button>
      {!isFolded && children}
    </nav>
  );
}
