// The dialect of consumer SQL: detected by the service, or chosen.
import { DIALECT_NAMES } from '../service/dialects.ts';
import type { Sandbox } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import type { Check } from './use-check.ts';

interface Props {
  readonly sandbox: Sandbox;
  readonly check: Check;
}

export function DialectSwitch({ sandbox, check }: Props) {
  const { address, change } = useExplorer();
  const { dialect } = address.value;
  const found = check.kind === 'valid' && check.isCurrent ? check.dialect : undefined;
  const choices = [
    { value: undefined, label: 'Auto' },
    ...sandbox.dialects.map((value) => ({ value, label: DIALECT_NAMES[value] })),
  ];
  return (
    <div class="dialect">
      <span class="field-name" id="dialect-name">
        Dialect
      </span>
      <div class="choices" role="radiogroup" aria-labelledby="dialect-name">
        {choices.map(({ value, label }) => (
          <label key={label} class="choice">
            <input
              type="radio"
              name="dialect"
              value={value ?? 'auto'}
              checked={value === dialect}
              onChange={() => change({ dialect: value })}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {dialect === undefined && found !== undefined && (
        <span class="note">parsed as {DIALECT_NAMES[found]}</span>
      )}
    </div>
  );
}
