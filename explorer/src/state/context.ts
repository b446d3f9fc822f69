// The Preact context that gives every view access to the state.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Explorer } from './explorer.ts';

export const ExplorerContext = createContext<Explorer | undefined>(undefined);

export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext);
  if (explorer === undefined) throw new Error('a view outside the page');
  return explorer;
}
