// Actions that a part of the page adds to the palette while it is shown.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';
import type { PaletteAction } from './actions.ts';

/** `part` names who adds them; the functions of the latest rendering are called. */
export function usePaletteActions(part: string, actions: readonly PaletteAction[]): void {
  const { palette } = useExplorer();
  const latest = useRef(actions);
  latest.current = actions;
  const shown = JSON.stringify(actions.map(({ id, label, hint }) => [id, label, hint]));
  useLayoutEffect(() => {
    const { parts } = palette;
    const run = (id: string) => () => latest.current.find((action) => action.id === id)?.run();
    const own = latest.current.map((action) => ({ ...action, run: run(action.id) }));
    parts.value = new Map(parts.value).set(part, own);
    return () => {
      parts.value = new Map([...parts.value].filter(([name]) => name !== part));
    };
  }, [part, shown]);
}
