// Arrow keys in the endpoint list: up and down through what is visible, left and right to close and open groups.

/** Moves the focus within `list`, whose first stop is the search field. Returns whether the key was used. */
export function moveInList(list: HTMLElement, event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return false;
  const stops = [...list.querySelectorAll<HTMLElement>('#search, summary, .endpoint-item')].filter((stop) =>
    stop.checkVisibility(),
  );
  const isSearch = target.id === 'search';
  const group = target.tagName === 'SUMMARY' ? target.parentElement : undefined;
  switch (event.key) {
    case 'ArrowDown':
      return focus(stops[stops.indexOf(target) + 1]);
    case 'ArrowUp':
      return focus(stops[stops.indexOf(target) - 1]);
    case 'Home':
      return !isSearch && focus(stops[1]);
    case 'End':
      return !isSearch && focus(stops.at(-1));
    case 'ArrowRight':
      return group instanceof HTMLDetailsElement && !group.open && click(target);
    case 'ArrowLeft': {
      if (isSearch) return false;
      if (group instanceof HTMLDetailsElement && group.open) return click(target);
      return focus((group ?? target).parentElement?.closest('details')?.querySelector('summary'));
    }
    default:
      return false;
  }
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element !== null && element !== undefined;
}

function click(element: HTMLElement): boolean {
  element.click();
  return true;
}
