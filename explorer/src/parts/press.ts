// What moves a page waits until a pressed pointer is released: the element below it would get no click.

/** A press is at most this long: the release of a pointer may be lost outside the window. */
const MAX_MS = 3000;

/** Runs an action: at once, or while a pointer is pressed after the click. In the order of the calls. */
export type WhenReleased = (action: () => void) => void;

export function followPointer(document: Document): WhenReleased {
  /** Undefined: no pointer is pressed. */
  let waiting: (() => void)[] | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;
  const release = (): void => {
    const actions = waiting ?? [];
    waiting = undefined;
    for (const action of actions) action();
  };
  const press = (): void => {
    waiting ??= [];
    clearTimeout(limit); // that of an earlier press would end this one
    limit = setTimeout(release, MAX_MS);
  };
  // The click follows in the same task.
  const afterClick = (): void => void setTimeout(release);
  document.addEventListener('pointerdown', press, true);
  document.addEventListener('pointerup', afterClick, true);
  document.addEventListener('pointercancel', afterClick, true);
  return (action) => {
    if (waiting === undefined) action();
    else waiting.push(action);
  };
}
