// Choices of the visitor that last: the theme, the zone of times, the position of the divider.
import type { Zone } from '../time-range/range.ts';
import type { State } from './model.ts';
import type { Memory, Theme } from './storage.ts';

export interface Preferences {
  setTheme(theme: Theme): void;
  setZone(zone: Zone): void;
  /** The height above the divider, in pixels; undefined: that of the content. */
  setSplit(height: number | undefined): void;
}

export function createPreferences(memory: Memory, state: State): Preferences {
  return {
    setTheme: (theme) => {
      memory.setTheme(theme);
      state.theme.value = theme;
    },
    setZone: (zone) => {
      memory.setZone(zone);
      state.zone.value = zone;
    },
    setSplit: (height) => {
      memory.setSplit(height);
      state.split.value = height;
    },
  };
}
