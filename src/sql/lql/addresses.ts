// Addresses of IPv4 and IPv6 as the engine reads them.

const DECIMAL = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const IPV4 = new RegExp(String.raw`^${DECIMAL}(?:\.${DECIMAL}){3}$`);
const GROUP = /^[\da-f]{1,4}$/i;
const GROUPS = 8;

export function isIPv4(text: string): boolean {
  return IPV4.test(text);
}

/** Eight groups of hexadecimal digits: `::` replaces at least one group of zeros, and an IPv4 address replaces the last two. */
export function isIPv6(text: string): boolean {
  const [before = '', after, ...more] = text.split('::');
  if (more.length > 0) return false;
  const first = groupsOf(before, after === undefined);
  const last = groupsOf(after ?? '', true);
  if (first === undefined || last === undefined) return false;
  return after === undefined ? first === GROUPS : first + last < GROUPS;
}

/** The number of groups of a part; undefined for other text. */
function groupsOf(part: string, isEnd: boolean): number | undefined {
  if (part === '') return 0;
  const groups = part.split(':');
  const embedded = isEnd && isIPv4(groups.at(-1) ?? '') ? 1 : 0;
  const isGroups = groups.slice(0, groups.length - embedded).every((group) => GROUP.test(group));
  return isGroups ? groups.length + embedded : undefined;
}
