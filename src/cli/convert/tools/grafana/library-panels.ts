// Panels of the library: in dashboards that were exported for sharing, `__elements` has them; the API writes them into the panel.
import { member, textOf, type DocumentPath } from '../../export/document.ts';

/** Where a panel's content is. */
interface PanelContent {
  readonly path: DocumentPath;
  readonly shown: DocumentPath;
  readonly value: unknown;
}

/** Returns whether the content of a panel is that of a library panel. */
export function isOfLibrary(panel: unknown): boolean {
  return member(panel, 'libraryPanel') !== undefined && textOf(panel, 'type') === undefined;
}

/** The path of the text that shows where a panel is: its title, if it has one. */
export function shownPath(panel: unknown, at: DocumentPath): DocumentPath {
  if (textOf(panel, 'title') !== undefined) return [...at, 'title'];
  return textOf(panel, 'type') === undefined ? [...at, 'libraryPanel', 'name'] : [...at, 'type'];
}

/** The panel with the content of its library panel; as it is if that is not in the export. */
export function withLibraryPanel<Panel extends PanelContent>(
  panel: Panel,
  dashboard: unknown,
  root: DocumentPath,
): Panel {
  if (!isOfLibrary(panel.value)) return panel;
  const library = member(panel.value, 'libraryPanel');
  const id = textOf(library, 'uid') ?? '';
  const places: readonly (readonly [DocumentPath, unknown])[] = [
    [[...panel.path, 'libraryPanel', 'model'], member(library, 'model')],
    [[...root, '__elements', id, 'model'], member(member(member(dashboard, '__elements'), id), 'model')],
  ];
  const [path, model] = places.find(([, value]) => typeof value === 'object' && value !== null) ?? [];
  if (path === undefined || typeof model !== 'object') return panel;
  const title = textOf(panel.value, 'title') ?? textOf(model, 'title') ?? textOf(library, 'name');
  return {
    ...panel,
    path,
    value: { ...model, ...(title === undefined ? {} : { title }) },
  };
}
