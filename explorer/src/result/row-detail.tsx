// An expanded row: full values, nested values as a tree, each with a copy button.
import { isNested, preview, printJson, type Json, type Row } from '../service/json.ts';
import { CopyButton, useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';

interface Props {
  readonly row: Row;
  readonly height: number;
}

export function RowDetail({ row, height }: Props) {
  return (
    <div class="detail" role="row" style={{ height: `${height}px` }}>
      <div role="gridcell" class="detail-body">
        <CopyButton text={() => printJson(row, '  ')} what="the row" label="Copy row" />
        <div class="tree mono">
          {Object.entries(row).map(([name, value]) => (
            <Branch key={name} name={name} value={value} depth={0} />
          ))}
        </div>
      </div>
    </div>
  );
}

interface BranchProps {
  readonly name: string;
  readonly value: Json;
  readonly depth: number;
}

const SHOWN_AT_ONCE = 3;
const PREVIEW = 80;

function Branch({ name, value, depth }: BranchProps) {
  const copy = useCopy();
  if (!isNested(value)) {
    return (
      <div class="leaf">
        <span class="leaf-name">{name}</span>
        <span class="leaf-value" data-kind={value === null ? 'null' : typeof value}>
          {String(value)}
        </span>
        <button
          type="button"
          class="leaf-copy"
          aria-label={`Copy ${name}`}
          onClick={() => copy(String(value), name)}
        >
          <Icon name="copy" />
        </button>
      </div>
    );
  }
  return (
    <details class="branch" open={depth < SHOWN_AT_ONCE}>
      <summary>
        <span class="leaf-name">{name}</span> <span class="branch-preview">{preview(value, PREVIEW)}</span>
      </summary>
      {Object.entries(value).map(([key, item]) => (
        <Branch key={key} name={key} value={item} depth={depth + 1} />
      ))}
    </details>
  );
}
