// Saves responses as files, and announces success or failure.
import { CallFailure, hintOf } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';

/** Returns a function that saves a pending download under a name. It never rejects. */
export function useSave(): (name: string, coming: Promise<Blob>) => Promise<void> {
  const { tell } = useExplorer();
  return async (name, coming) => {
    try {
      saveAs(await coming, name);
      tell(`Saved ${name}`);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      tell(`${error.problem.title}: ${hintOf(error.problem)}`);
    }
  };
}

function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
