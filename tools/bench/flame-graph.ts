// Draws a CPU profile as a flame graph: callers above callees, width proportional to time.
import type { Frame, Stack } from './profile.ts';

const WIDTH = 1200;
const ROW = 18;
const CHARACTER = 6.6;
/** Narrower frames are omitted. */
const LEAST_WIDTH = 3;

interface Block {
  readonly frame: Frame;
  us: number;
  readonly children: Map<string, Block>;
}

/** Returns an SVG image. */
export function flameGraph(stacks: readonly Stack[], title: string): string {
  const root: Block = { frame: { name: title, url: '' }, us: 0, children: new Map() };
  for (const stack of stacks) add(root, stack);
  const drawn: string[] = [];
  const depth = draw(root, { x: 0, y: 0, perUs: WIDTH / root.us, total: root.us }, drawn);
  const height = (depth + 1) * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11" role="img" aria-label="${escape(title)}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function add(root: Block, { frames, us }: Stack): void {
  root.us += us;
  let at = root;
  for (const frame of frames) {
    const key = `${frame.name} ${frame.url}`;
    const child = at.children.get(key) ?? { frame, us: 0, children: new Map() };
    at.children.set(key, child);
    child.us += us;
    at = child;
  }
}

/** Returns the depth of the drawn stack, in rows. */
function draw(
  { frame, us, children }: Block,
  place: { readonly x: number; readonly y: number; readonly perUs: number; readonly total: number },
  drawn: string[],
): number {
  const { x, y, perUs, total } = place;
  const width = us * perUs;
  const file = placeOf(frame.url);
  const text = file === '' ? frame.name : `${frame.name} ${file}`;
  const room = Math.floor((width - 4) / CHARACTER);
  drawn.push(
    `<g><title>${escape(text)}: ${((100 * us) / total).toFixed(1)} %</title>` +
      `<rect x="${x.toFixed(1)}" y="${y}" width="${(width - 0.5).toFixed(1)}" height="${ROW - 1}" fill="${colourOf(frame)}"/>` +
      (room < 3
        ? ''
        : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escape(text.slice(0, room))}</text>`) +
      '</g>',
  );
  let depth = 0;
  let left = x;
  for (const child of [...children.values()].toSorted((a, b) => b.us - a.us)) {
    if (child.us * perUs < LEAST_WIDTH) break;
    depth = Math.max(depth, draw(child, { ...place, x: left, y: y + ROW }, drawn) + 1);
    left += child.us * perUs;
  }
  return depth;
}

/** The last folder and file name; for packages, the package name. */
function placeOf(url: string): string {
  const [, of] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  return of ?? url.split('/').slice(-2).join('/');
}

/** Colour class of a frame: our code, a package, Node or V8. */
function colourOf({ url }: Frame): string {
  if (url === '') return '#f3d9a4';
  if (url.startsWith('node:')) return '#dfe3e8';
  return url.includes('node_modules') ? '#d9c8ee' : '#a9cdf2';
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
