// The endpoint's parameters as a form; the service's validation errors appear below their fields.
import type { Endpoint, Parameter } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { ChoiceField } from './choice-field.tsx';
import { errorOf } from '../state/model.ts';
import { defaultOf, type FieldProps } from './field.ts';
import { PairControl } from './pair-control.tsx';
import { ListField } from './list-field.tsx';
import { isPairShown, timePairOf, type TimePair } from './time-pair.ts';
import { timeTypeOf } from './time.ts';
import { TimeField } from './time-field.tsx';
import { TextField } from './text-field.tsx';

interface ParameterFormProps {
  readonly endpoint: Endpoint;
  /** The names of parameters that are set elsewhere. */
  readonly held: readonly string[];
}

export function ParameterForm({ endpoint, held }: ParameterFormProps) {
  const { start } = useExplorer();
  const shown = endpoint.parameters.filter(({ name }) => !held.includes(name));
  if (shown.length === 0) return null;
  const pair = timePairOf({ parameters: shown });
  const ends = pair === undefined ? [] : [pair.from, pair.to];
  return (
    <div
      class="form"
      role="group"
      aria-label="Parameters"
      onKeyDown={(event) => {
        if (!isPlainEnter(event)) return;
        event.preventDefault();
        void start();
      }}
    >
      {shown
        .filter((parameter) => !ends.includes(parameter))
        .map((parameter) => (
          <ParameterField key={parameter.name} parameter={parameter} />
        ))}
      {pair !== undefined && <PairFields pair={pair} />}
    </div>
  );
}

/** One control for both ends of a range, and the two fields below it. */
function PairFields({ pair }: { readonly pair: TimePair }) {
  const { address, run } = useExplorer();
  const { parameters } = address.value;
  const ends = [pair.from, pair.to];
  const isWrong = ends.some(({ name }) => errorOf(run.value, parameters, name) !== undefined);
  const isOpen = isWrong || !isPairShown(pair, parameters);
  return (
    <div class="field pair">
      <div class="field-head">
        <span class="field-name">Time range</span>
      </div>
      <PairControl pair={pair} />
      <details class="pair-fields" open={isOpen}>
        <summary>
          <span class="mono">{pair.from.name}</span> and <span class="mono">{pair.to.name}</span>
        </summary>
        {ends.map((parameter) => (
          <ParameterField key={parameter.name} parameter={parameter} />
        ))}
      </details>
    </div>
  );
}

function ParameterField({ parameter }: { readonly parameter: Parameter }) {
  const { address, run, change } = useExplorer();
  const { parameters } = address.value;
  const { name } = parameter;
  const error = errorOf(run.value, parameters, name);
  const onChange = (value: string): void =>
    change({ parameters: { ...address.value.parameters, [name]: value } });
  const value = parameters[name] ?? '';
  return <Field {...{ parameter, error, onChange, value }} id={`parameter-${name}`} />;
}

/** Enter in an input runs the request, as in any form. */
function isPlainEnter(event: KeyboardEvent): boolean {
  const { key, target, isComposing } = event;
  const isModified = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  return key === 'Enter' && !isModified && !isComposing && target instanceof HTMLInputElement;
}

function Field(props: FieldProps) {
  const { parameter, id, error } = props;
  const { name, type, required, description, locked } = parameter;
  const preset = defaultOf(parameter);
  return (
    <div class="field" data-kind={kindOf(parameter)}>
      <div class="field-head">
        <label class="field-name mono" for={id}>
          {name}
        </label>
        <span class="field-type mono">{type}</span>
        {required && <span class="tag">required</span>}
        {!required && preset !== undefined && <span class="tag">default {preset}</span>}
      </div>
      {locked === true ? (
        <input id={id} class="input" disabled value="set by your key" />
      ) : (
        <Control {...props} />
      )}
      <p class="field-error" id={`${id}-error`} role={error === undefined ? undefined : 'alert'}>
        {error !== undefined && `${name} ${error}`}
      </p>
      {description !== undefined && (
        <p class="note" id={`${id}-note`}>
          {description}
        </p>
      )}
    </div>
  );
}

type Kind = 'choice' | 'list' | 'time' | 'text';

function Control(props: FieldProps) {
  switch (kindOf(props.parameter)) {
    case 'choice':
      return <ChoiceField {...props} />;
    case 'list':
      return <ListField {...props} />;
    case 'time':
      return <TimeField {...props} />;
    case 'text':
      return <TextField {...props} />;
  }
}

function kindOf({ type, enum: choices, multiple }: Parameter): Kind {
  if (multiple === true) return 'list';
  if (choices !== undefined || type === 'Bool') return 'choice';
  return timeTypeOf(type) === undefined ? 'text' : 'time';
}
