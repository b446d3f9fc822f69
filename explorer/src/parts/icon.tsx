// 16 x 16 icons. They are decorative: each has a text label or an aria-label beside it.

const PATHS = {
  mark: 'M1.5 5.5c2 0 2 1.6 4 1.6s2-1.6 4-1.6 2 1.6 4 1.6M1.5 10c2 0 2 1.6 4 1.6s2-1.6 4-1.6 2 1.6 4 1.6',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3 3',
  key: 'M6 10.5a3.5 3.5 0 1 1 3.3-4.7H14.5v2.4h-1.6v1.9h-2.4V8.2H9.3A3.5 3.5 0 0 1 6 10.5Z',
  auto: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Zm0 0v12M8 5.5h3.6M8 8h4.6M8 10.5h3.6',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  dark: 'M13.5 9.8A6 6 0 1 1 6.2 2.5a5 5 0 0 0 7.3 7.3Z',
  copy: 'M6 6h7.5v7.5H6ZM10 6V2.5H2.5V10H6',
  open: 'M6 3.5 10.5 8 6 12.5',
  up: 'M8 13V3.5M4 7l4-4 4 4',
  down: 'M8 3v9.5M4 9l4 4 4-4',
  play: 'M4.5 2.8v10.4L13 8Z',
  stop: 'M4 4h8v8H4Z',
  history: 'M2.5 8A5.5 5.5 0 1 0 4.3 4M2.5 2.5V5H5M8 5v3.3l2.2 1.4',
  facets: 'M2.5 3.5h11L9.5 8.5v4l-3 1v-5Z',
  list: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  save: 'M8 2.5v7.5M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11',
  saved: 'M4 2.5h8v11l-4-3-4 3Z',
  again: 'M13.5 8A5.5 5.5 0 1 1 11.7 4M13.5 2.5V5H11',
  more: 'M2.5 8h1.2M7.4 8h1.2M12.3 8h1.2',
  warn: 'M8 2 14.5 13.5h-13ZM8 6.5v3.2M8 11.4v.4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
