// A range that is written: two expressions, or two date-time fields.
import { useId, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import {
  boundsAt,
  faultOf,
  rangeFaultOf,
  rangeOf,
  type RangeFault,
  type TimeRange,
  type Zone,
} from './range.ts';
import { toField } from './range-words.ts';

interface Props {
  readonly range: TimeRange | undefined;
  readonly zone: Zone;
  readonly onApply: (range: TimeRange) => void;
}

type Kind = TimeRange['kind'];
const DEFAULT: TimeRange = { kind: 'relative', from: 'now-1h', to: 'now' };

export function CustomRange({ range = DEFAULT, zone, onApply }: Props) {
  const id = useId();
  const [kind, setKind] = useState<Kind>(range.kind);
  const [texts, setTexts] = useState(() => textsOf(range, range.kind, zone));
  const [fault, setFault] = useState<RangeFault>();
  const switchTo = (next: Kind): void => {
    const written = rangeOf(texts.from, texts.to, zone) ?? range;
    setKind(next);
    setTexts(textsOf(written, next, zone));
    setFault(undefined);
  };
  const apply = (): void => {
    const now = Date.now();
    const written = rangeOf(texts.from, texts.to, zone);
    const wrong = written === undefined ? faultOf(texts.from, texts.to, now) : rangeFaultOf(written, now);
    setFault(wrong);
    if (wrong !== undefined) document.getElementById(`${id}-${wrong.field}`)?.focus();
    else if (written !== undefined) onApply(written);
  };
  const field = (name: 'from' | 'to'): FieldProps => ({
    id: `${id}-${name}`,
    kind,
    text: texts[name],
    isWrong: fault?.field === name,
    fault: `${id}-fault`,
    onText: (text) => {
      setFault(undefined);
      setTexts({ ...texts, [name]: text });
    },
  });
  return (
    <div
      class="custom-range"
      role="group"
      aria-label="Custom range"
      onKeyDown={(event) => {
        if (!isFieldEnter(event)) return;
        event.preventDefault();
        event.stopPropagation(); // the form around it would run the request
        apply();
      }}
    >
      <KindChoice name={`${id}-kind`} kind={kind} onKind={switchTo} />
      <div class="custom-range-fields" data-kind={kind}>
        <RangeField label="From" {...field('from')} />
        <RangeField label="To" {...field('to')} />
      </div>
      <p class="field-error" id={`${id}-fault`} role={fault === undefined ? undefined : 'alert'}>
        {fault !== undefined && <Icon name="warn" />}
        {fault?.message}
      </p>
      <button type="button" class="button" onClick={apply}>
        Apply
      </button>
    </div>
  );
}

function isFieldEnter({ key, target, ctrlKey, metaKey, isComposing }: KeyboardEvent): boolean {
  const isField = target instanceof HTMLInputElement && target.type !== 'radio';
  return key === 'Enter' && isField && !ctrlKey && !metaKey && !isComposing;
}

interface KindProps {
  readonly name: string;
  readonly kind: Kind;
  readonly onKind: (kind: Kind) => void;
}

function KindChoice({ name, kind, onKind }: KindProps) {
  return (
    <div class="choices" role="radiogroup" aria-label="Custom range is">
      {(['relative', 'fixed'] as const).map((each) => (
        <label key={each} class="choice">
          <input
            type="radio"
            name={name}
            value={each}
            checked={kind === each}
            onChange={() => onKind(each)}
          />
          <span>{each === 'relative' ? 'Relative' : 'Fixed'}</span>
        </label>
      ))}
    </div>
  );
}

interface FieldProps {
  readonly id: string;
  readonly kind: Kind;
  readonly text: string;
  readonly isWrong: boolean;
  /** The id of the message. */
  readonly fault: string;
  readonly onText: (text: string) => void;
}

function RangeField({
  id,
  label,
  kind,
  text,
  isWrong,
  fault,
  onText,
}: FieldProps & { readonly label: string }) {
  const shared = {
    id,
    class: 'input mono',
    value: text,
    'aria-invalid': isWrong,
    'aria-describedby': fault,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => onText(currentTarget.value),
  };
  return (
    <div class="field">
      <label class="field-name" for={id}>
        {label}
      </label>
      {kind === 'fixed' ? (
        <input {...shared} type="datetime-local" step={1} />
      ) : (
        <input {...shared} type="text" autocomplete="off" spellcheck={false} />
      )}
    </div>
  );
}

function textsOf(range: TimeRange, kind: Kind, zone: Zone): { readonly from: string; readonly to: string } {
  if (kind === 'relative') return { from: range.from, to: range.to };
  const { from, to } = boundsAt(range, Date.now());
  return { from: toField(from - (from % 1000), zone), to: toField(to - (to % 1000), zone) };
}
