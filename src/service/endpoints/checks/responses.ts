// The checks of what a response is besides its rows: pages, log views, live calls, the age of its data, exports, and watches.
import type { FileChecks } from './check.ts';
import { EXPORT_CHECKS } from './exports.ts';
import { FRESH_CHECKS } from './fresh.ts';
import { LIVE_CHECKS } from './live.ts';
import { PAGE_CHECKS } from './pages.ts';
import { VIEW_CHECKS } from './views.ts';
import { WATCH_CHECKS } from './watches.ts';

export const RESPONSE_CHECKS: FileChecks = {
  ...PAGE_CHECKS,
  ...VIEW_CHECKS,
  ...LIVE_CHECKS,
  ...FRESH_CHECKS,
  ...EXPORT_CHECKS,
  ...WATCH_CHECKS,
};
