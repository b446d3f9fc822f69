// What is wrong in the endpoint files, in development: each finding with its location.
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';
import { counted } from '../parts/words.ts';

const MAX_SHOWN = 5;

export function FileFindings() {
  const { findings } = useExplorer();
  const { value } = findings;
  if (value.length === 0) return null;
  const isError = value.some(({ severity }) => severity === 'error');
  return (
    <section class="file-findings" data-error={isError} aria-label="Findings in endpoint files" role="status">
      <h2>
        <Icon name="warn" /> {counted(value.length, 'finding')} in endpoint files
        {isError && ': the last valid version is served'}
      </h2>
      <ul>
        {value.slice(0, MAX_SHOWN).map(({ file, line, column, message, hint }) => (
          <li key={`${file}:${line}:${column} ${message}`}>
            <span class="mono">{`${file}:${line}:${column}`}</span> {message}
            {hint !== undefined && `. ${hint}`}
          </li>
        ))}
        {value.length > MAX_SHOWN && <li>{`and ${value.length - MAX_SHOWN} more`}</li>}
      </ul>
    </section>
  );
}
