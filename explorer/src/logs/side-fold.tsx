// The frame of the facets, which fold to leave the rows more space.
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';
import type { LayoutProps } from './log-layout.ts';
import type { Sheet } from './use-sheet.ts';

interface SideFoldProps extends LayoutProps {
  readonly sheet: Sheet;
  readonly children: ComponentChildren;
}

export function SideFold({ layout, onLayout, sheet, children }: SideFoldProps) {
  const isFolded = layout.isSideFolded;
  return (
    <nav
      class="logs-side"
      aria-label="Facets"
      data-folded={isFolded}
      data-sheet={sheet.isOpen}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !sheet.isOpen) return;
        event.stopPropagation();
        sheet.close();
      }}
    >
      <button type="button" class="button log-sheet-close" onClick={sheet.close}>
        Show the rows
      </button>
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
