// The top bar: product name, theme, and current key.
import { useExplorer } from '../state/context.ts';
import type { Theme } from '../state/storage.ts';
import { Icon } from '../parts/icon.tsx';
import { useSave } from '../parts/save.ts';
import { MODIFIER } from '../parts/modifier.ts';
import { CallsButton } from '../calls/calls-button.tsx';
import { ViewsMenu } from '../saved-views/views-menu.tsx';

const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const WORDS: Readonly<Record<Theme, string>> = { auto: 'system', light: 'light', dark: 'dark' };

export function Header() {
  const { key, theme, setTheme, leave } = useExplorer();
  return (
    <header class="header">
      <a class="wordmark" href="#/" aria-label="Millrace explorer, start">
        <Icon name="mark" />
        <span>Millrace</span>
      </a>
      <nav class="header-actions" aria-label="Page">
        {key.value !== undefined && (
          <>
            {/* It is there once the endpoints are known, and moves nothing else. */}
            <CallsButton />
            <PaletteButton />
            <ViewsMenu />
            <OpenapiButton />
          </>
        )}
        <button
          type="button"
          class="button quiet icon-only"
          onClick={() => setTheme(NEXT[theme.value])}
          aria-label={`Theme: ${WORDS[theme.value]}. Change it`}
          title={`Theme: ${WORDS[theme.value]}`}
        >
          <Icon name={theme.value} />
        </button>
        {key.value !== undefined && (
          <button
            type="button"
            class="button quiet"
            onClick={leave}
            title="Forget the key in all tabs, with history and drafts"
          >
            <Icon name="key" />
            <span class="key-tail mono">…{key.value.slice(-4)}</span>
            <span class="wide-only" aria-hidden="true">
              Forget
            </span>
            <span class="visually-hidden">Forget the key</span>
          </button>
        )}
      </nav>
    </header>
  );
}

function PaletteButton() {
  const { palette } = useExplorer();
  return (
    <button
      type="button"
      class="button quiet"
      aria-haspopup="dialog"
      title="Endpoints, saved views and actions"
      onClick={() => (palette.isOpen.value = true)}
    >
      <Icon name="list" />
      <span class="wide-words">Commands</span> <kbd class="wide-only">{MODIFIER} K</kbd>
    </button>
  );
}

function OpenapiButton() {
  const { client, key } = useExplorer();
  const save = useSave();
  return (
    <button
      type="button"
      class="button quiet"
      title="Download the OpenAPI document of the endpoints that your key may call"
      onClick={() => void save('openapi.json', client.openapi(key.value ?? ''))}
    >
      OpenAPI
    </button>
  );
}
