// A block of code with a copy button.
import { CopyButton } from '../parts/copy.tsx';
import { coloredCode } from './colored-code.tsx';

export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code-block">
      <CopyButton text={() => text} what={label} label="Copy" />
      <pre class="mono" tabIndex={0} role="group" aria-label={label}>
        <code>{coloredCode(text)}</code>
      </pre>
    </div>
  );
}
