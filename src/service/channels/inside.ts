// Addresses that are not on the public internet: of this machine, of private networks, and for special purposes (RFC 6890).
import { BlockList, isIP } from 'node:net';

const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15],
  ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
]; // prettier-ignore

/** Inside of 2000::/3, which has all public addresses: documentation, and addresses that hold another one. */
const IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const inside = new BlockList();
for (const [address, bits] of IPV4) inside.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of IPV6) inside.addSubnet(address, bits, 'ipv6');
const outside = new BlockList();
outside.addSubnet('2000::', 3, 'ipv6');

/** True also for what is no address. */
export function isInside(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return inside.check(address, 'ipv4');
    case 6:
      return !outside.check(address, 'ipv6') || inside.check(address, 'ipv6');
    default:
      return true;
  }
}
