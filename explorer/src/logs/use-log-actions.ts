// Adds the actions of a log view to the palette.
import { usePaletteActions } from '../palette/use-palette-actions.ts';
import { PRESETS } from '../time-range/range.ts';
import { isFollowing } from './follower.ts';
import type { Logs } from './use-logs.ts';

export function useLogActions(logs: Logs): void {
  const { store, change } = logs;
  const follows = isFollowing(store.following.value);
  usePaletteActions('logs', [
    { id: 'logs refresh', label: 'Refresh the logs', run: logs.reload },
    {
      id: 'logs follow',
      label: follows ? 'Pause the logs' : 'Follow the logs',
      hint: 'live tail',
      run: follows ? store.pause : store.follow,
    },
    { id: 'logs clear', label: 'Clear the filter', run: () => change({ filter: '' }) },
    ...PRESETS.map(({ title, range }) => ({
      id: `logs ${title}`,
      label: title,
      hint: 'time range',
      run: () => change({ range }),
    })),
    ...logs.views.map(({ table }) => ({
      id: `logs table ${table}`,
      label: `Logs of ${table}`,
      run: () => change({ table, filter: '', columns: undefined }),
    })),
  ]);
}
