// Answers of the service saved as files, with a word that it was done, or what went wrong.
import { CallFailure, hintOf } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';

/** The function that saves what is on its way under a name. It never rejects. */
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
