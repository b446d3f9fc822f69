// Parts of the page that are files of their own, loaded when first needed.
import { useEffect, useState } from 'preact/hooks';

interface Chunk<Module> {
  /** Undefined until it has loaded. */
  readonly module: Module | undefined;
  /** The browser does not try again before the page is reloaded. */
  readonly hasFailed: boolean;
}

/** `load` imports the file, the same in every call. */
export function useChunk<Module>(load: () => Promise<Module>): Chunk<Module> {
  const [chunk, setChunk] = useState<Chunk<Module>>({ module: undefined, hasFailed: false });
  useEffect(() => {
    let isGone = false;
    const show = (next: Chunk<Module>): void => {
      if (!isGone) setChunk(next);
    };
    load().then(
      (module) => show({ module, hasFailed: false }),
      () => show({ module: undefined, hasFailed: true }),
    );
    return () => {
      isGone = true;
    };
  }, []);
  return chunk;
}

/** After an upgrade of the service, an open page asks for files that are no longer there. */
export function NotLoaded({ what }: { readonly what: string }) {
  return (
    <p class="note" role="alert">
      {what} could not be loaded. The service cannot be reached, or has been upgraded.{' '}
      <button type="button" class="button small" onClick={() => location.reload()}>
        Reload the page
      </button>
    </p>
  );
}
