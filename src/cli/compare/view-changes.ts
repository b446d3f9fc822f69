// Changes of shared views: they lead readers to other rows, but do not change what they can read.
import { type ChangeText, compatible, type ChangeKinds } from './change-kinds.ts';
import { isViewFile } from '../../service/endpoints/file-kinds.ts';
import { readViewFile } from '../../service/endpoints/shared-views/read-view.ts';

export const VIEW_CHANGES = {
  'shared_view.added': compatible(
    'A shared view is new',
    'It is listed for keys that may call its endpoint, and shows what they can read without it.',
  ),
  'shared_view.changed': compatible(
    'A shared view shows something else',
    'Readers of the explorer who open it see other rows or columns; what they can read is the same.',
  ),
  'shared_view.removed': compatible(
    'A shared view was removed',
    'It is no longer in the menu of the explorer. Links to what it showed still work.',
  ),
} as const satisfies ChangeKinds;

export interface ViewChange extends ChangeText {
  readonly endpoint: string;
  readonly code: keyof typeof VIEW_CHANGES | 'file.invalid';
}

/** Texts by the path of their file; undefined: the file cannot be read. */
type Texts = ReadonlyMap<string, string | undefined>;

/** The changes of the files of shared views, in the order of their paths. */
export function viewChanges(base: Texts, head: Texts): readonly ViewChange[] {
  const paths = [...new Set([...base.keys(), ...head.keys()])].filter(isViewFile).toSorted();
  return paths.flatMap((file) => changeOf(file, base.get(file), head.get(file)) ?? []);
}

function changeOf(
  file: string,
  before: string | undefined,
  after: string | undefined,
): ViewChange | undefined {
  if (before === after) return undefined;
  const [old, now] = [before, after].map((text) =>
    text === undefined ? undefined : readViewFile(file, text),
  );
  if (now !== undefined && now.view === undefined) {
    const [first] = now.diagnostics;
    const message = first?.message ?? 'the file has errors';
    return { endpoint: file, code: 'file.invalid', message, file, line: first?.line ?? 1 };
  }
  const declared = now?.view ?? old?.view;
  if (declared === undefined) return undefined;
  const { view, document } = declared;
  const { endpoint, name } = view;
  const { line } = document.locate(['name']);
  if (now?.view === undefined)
    return {
      endpoint,
      code: 'shared_view.removed',
      message: `the shared view "${name}" is gone`,
      file,
      line,
    };
  if (old?.view === undefined)
    return { endpoint, code: 'shared_view.added', message: `a shared view, "${name}"`, file, line };
  return JSON.stringify(old.view.view) === JSON.stringify(view)
    ? undefined
    : {
        endpoint,
        code: 'shared_view.changed',
        message: `the shared view "${name}" shows something else`,
        file,
        line,
      };
}
