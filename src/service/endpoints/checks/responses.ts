// The checks of what a response is besides its rows: pages, log views, live calls, the age of its data, and exports.
import type { FileChecks } from './check.ts';
import { EXPORT_CHECKS } from './exports.ts';
import { FRESH_CHECKS } from './fresh.ts';
import { LIVE_CHECKS } from './live.ts';
import { PAGE_CHECKS } from './pages.ts';
import { VIEW_CHECKS } from './views.ts';

export const RESPONSE_CHECKS: FileChecks = {
  ...PAGE_CHECKS,
  ...VIEW_CHECKS,
  ...LIVE_CHECKS,
  ...FRESH_CHECKS,
  ...EXPORT_CHECKS,
};
