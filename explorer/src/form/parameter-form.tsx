// The endpoint's parameters as a form; the service's validation errors appear below their fields.
import type { Endpoint, Parameter } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { ChoiceField } from './choice-field.tsx';
import { errorOf } from '../state/model.ts';
import { defaultOf, type FieldProps } from './field.ts';
import { ListField } from './list-field.tsx';
import { TimeField } from './time-field.tsx';
import { TextField } from './text-field.tsx';

export function ParameterForm({ endpoint }: { readonly endpoint: Endpoint }) {
  const { address, run, change, start } = useExplorer();
  const { parameters } = address.value;
  if (endpoint.parameters.length === 0) return null;
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
      {endpoint.parameters.map((parameter) => {
        const { name } = parameter;
        const error = errorOf(run.value, parameters, name);
        const onChange = (value: string): void => change({ parameters: { ...parameters, [name]: value } });
        return (
          <Field
            key={name}
            {...{ parameter, error, onChange }}
            id={`parameter-${name}`}
            value={parameters[name] ?? ''}
          />
        );
      })}
    </div>
  );
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
  return /^Date(?:32|Time|Time64\(\d\))?$/.test(type) ? 'time' : 'text'; // the picker is in UTC
}
