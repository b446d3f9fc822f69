// An expanded row: full values, nested values as a tree, each with a copy button.
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { isNested, isNumber, preview, printJson, type Json, type Row } from '../service/json.ts';
import { CopyButton, useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { counted } from '../parts/words.ts';
import { Visible } from '../parts/visible.tsx';
import { childrenOf, openAtFirst, sizeOf, SLICE, TEXT_SLICE } from './tree.ts';

interface Props {
  readonly row: Row;
  readonly height: number;
}

type Copy = ReturnType<typeof useCopy>;

export function RowDetail({ row, height }: Props) {
  const copy = useCopy();
  const open = useMemo(() => openAtFirst(row), [row]);
  return (
    <div class="detail" role="row" style={{ height: `${height}px` }}>
      <div role="gridcell" class="detail-body">
        <CopyButton text={() => printJson(row, '  ')} what="the row" label="Copy row" />
        <div class="tree mono">
          <Children value={row} open={open} copy={copy} />
        </div>
      </div>
    </div>
  );
}

interface ChildrenProps {
  readonly value: readonly Json[] | { readonly [key: string]: Json };
  /** Nodes that are open at first. */
  readonly open: ReadonlySet<Json>;
  readonly copy: Copy;
}

function Children({ value, open, copy }: ChildrenProps) {
  const [limit, setLimit] = useState(SLICE);
  const rest = sizeOf(value) - limit;
  return (
    <>
      {childrenOf(value, limit).map(([name, child]) =>
        isNested(child) ? (
          <Branch key={name} name={name} value={child} open={open} copy={copy} />
        ) : (
          <Leaf key={name} name={name} value={child} copy={copy} />
        ),
      )}
      {rest > 0 && (
        <More onMore={() => setLimit(limit + SLICE)}>
          Show {Math.min(SLICE, rest).toLocaleString('en')} of {rest.toLocaleString('en')} more
        </More>
      )}
    </>
  );
}

function Branch({ name, value, open, copy }: ChildrenProps & { readonly name: string }) {
  const [isOpen, setOpen] = useState(open.has(value));
  return (
    <details class="branch" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="leaf-name">
          <Visible text={name} />
        </span>{' '}
        <span class="branch-preview">
          {isOpen ? counted(sizeOf(value), 'item') : <Visible text={preview(value, PREVIEW)} />}
        </span>
      </summary>
      {isOpen && <Children value={value} open={open} copy={copy} />}
    </details>
  );
}

const PREVIEW = 80;

interface LeafProps {
  readonly name: string;
  readonly value: Json;
  readonly copy: Copy;
}

function Leaf({ name, value, copy }: LeafProps) {
  const [limit, setLimit] = useState(TEXT_SLICE);
  const text = preview(value, Infinity);
  const rest = text.length - limit;
  return (
    <div class="leaf">
      <span class="leaf-name">
        <Visible text={name} />
      </span>
      <span class="leaf-value" data-kind={kindOf(value)}>
        <Visible text={text.slice(0, limit)} />
        {rest > 0 && (
          <More onMore={() => setLimit(limit * 5)}>{rest.toLocaleString('en')} more characters</More>
        )}
      </span>
      <button type="button" class="leaf-copy" aria-label={`Copy ${name}`} onClick={() => copy(text, name)}>
        <Icon name="copy" />
      </button>
    </div>
  );
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  return isNumber(value) ? 'number' : typeof value;
}

function More({ onMore, children }: { readonly onMore: () => void; readonly children: ComponentChildren }) {
  return (
    <button type="button" class="chip small more" onClick={onMore}>
      {children}
    </button>
  );
}
