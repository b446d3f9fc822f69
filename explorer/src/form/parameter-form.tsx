// The endpoint's parameters as a form; the service's validation errors appear below their fields.
import type { Endpoint, Parameter } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { ChoiceField } from './choice-field.tsx';
import type { FieldProps } from './field.ts';
import { TimeField } from './time-field.tsx';
import { TextField } from './text-field.tsx';

export function ParameterForm({ endpoint }: { readonly endpoint: Endpoint }) {
  const { address, run, change } = useExplorer();
  const { parameters } = address.value;
  const errors = run.value.kind === 'failed' ? run.value.problem.errors : [];
  if (endpoint.parameters.length === 0) return null;
  return (
    <div class="form" role="group" aria-label="Parameters">
      {endpoint.parameters.map((parameter) => {
        const { name } = parameter;
        const error = errors.find((each) => each.parameter === name)?.message;
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

function Field(props: FieldProps) {
  const { parameter, id, error } = props;
  const { name, type, required, description, locked } = parameter;
  return (
    <div class="field" data-kind={kindOf(parameter)}>
      <div class="field-head">
        <label class="field-name mono" for={id}>
          {name}
        </label>
        <span class="field-type mono">{type}</span>
        {required ? <span class="tag">required</span> : null}
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

type Kind = 'choice' | 'time' | 'text';

function Control(props: FieldProps) {
  switch (kindOf(props.parameter)) {
    case 'choice':
      return <ChoiceField {...props} />;
    case 'time':
      return <TimeField {...props} />;
    case 'text':
      return <TextField {...props} />;
  }
}

function kindOf({ type, enum: choices }: Parameter): Kind {
  if (choices !== undefined || type === 'Bool') return 'choice';
  return type.startsWith('Date') ? 'time' : 'text';
}
