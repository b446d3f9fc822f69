// Keeps the focus near where it was if what has it is removed, hidden or disabled: the browser would return it to the body, so that the next
// Tab begins at the top of the page.

/** Text fields are left out: on phones, their focus opens the keyboard. */
const STOPS = 'button:not(:disabled), a[href], summary, select, [tabindex="0"]';
/** Ancestors whose stops are remembered; beyond them, the page's main part takes the focus. */
const DEPTH = 8;

interface Place {
  readonly ancestor: Element;
  /** The position of what had the focus among the stops of the ancestor. */
  readonly index: number;
}

export function keepFocus(document: Document): void {
  let last: Element | undefined;
  let places: readonly Place[] = [];
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    last = target;
    places = placesOf(target);
  });
  document.addEventListener('focusout', ({ relatedTarget }) => {
    const left = last;
    if (relatedTarget !== null) return;
    // Browsers send this before they remove an element as well; a visitor who leaves it leaves it in place.
    queueMicrotask(() => {
      if (left === last && left !== undefined && isStop(left)) last = undefined;
    });
  });
  const observer = new MutationObserver(() => {
    const { activeElement: active, body } = document;
    if (last === undefined || (active !== body && active !== null && isStop(active))) return;
    if (isStop(last)) return;
    const next = nearestStop(places) ?? document.querySelector<HTMLElement>('#main');
    last = undefined;
    next?.focus({ preventScroll: true });
  });
  observer.observe(document, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'open'],
  });
}

function isStop(element: Element): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility();
}

function placesOf(element: Element): readonly Place[] {
  const places: Place[] = [];
  let ancestor = element.parentElement;
  for (let depth = 0; ancestor !== null && depth < DEPTH; depth++, ancestor = ancestor.parentElement) {
    if (ancestor.id === 'main') break;
    const index = [...ancestor.querySelectorAll(STOPS)].indexOf(element);
    places.push({ ancestor, index: Math.max(0, index) });
  }
  return places;
}

function nearestStop(places: readonly Place[]): HTMLElement | undefined {
  for (const { ancestor, index } of places) {
    if (!ancestor.isConnected) continue;
    const stops = [...ancestor.querySelectorAll<HTMLElement>(STOPS)].filter(isStop);
    const stop = stops[Math.min(index, stops.length - 1)];
    if (stop !== undefined) return stop;
  }
  return undefined;
}
