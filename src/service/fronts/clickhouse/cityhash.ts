// CityHash128 version 1.0.2, the checksum of ClickHouse's compressed blocks. Later versions of CityHash differ, and no
// npm package has this one. Source: ClickHouse, contrib/cityhash102.

/** The hash as it is stored: two unsigned 64-bit integers. */
export type Hash128 = readonly [low: bigint, high: bigint];

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;
const K3 = 0xc949d7c7509e6557n;
const MUL = 0x9ddfea08eb382d69n;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, by: bigint): bigint => u64((value >> by) | (value << (64n - by)));
const shiftMix = (value: bigint): bigint => value ^ (value >> 47n);

/** About 30 MB per second. */
export function cityHash128(bytes: Buffer): Hash128 {
  const { length } = bytes;
  if (length >= 16)
    return seeded(bytes.subarray(16), bytes.readBigUInt64LE(0) ^ K3, bytes.readBigUInt64LE(8));
  if (length < 8) return seeded(bytes, K0, K1);
  const low = bytes.readBigUInt64LE(0) ^ u64(BigInt(length) * K0);
  return seeded(bytes.subarray(length), low, bytes.readBigUInt64LE(length - 8) ^ K1);
}

function seeded(bytes: Buffer, low: bigint, high: bigint): Hash128 {
  return bytes.length < 128 ? hashShort(bytes, low, high) : hashLong(bytes, low, high);
}

function hashShort(bytes: Buffer, low: bigint, high: bigint): Hash128 {
  const { length } = bytes;
  let [a, b, c, d] = [low, high, 0n, 0n];
  if (length <= 16) {
    a = u64(shiftMix(u64(a * K1)) * K1);
    c = u64(b * K1 + hashUpTo16(bytes));
    d = shiftMix(u64(a + (length >= 8 ? bytes.readBigUInt64LE(0) : c)));
  } else {
    c = hash16(u64(bytes.readBigUInt64LE(length - 8) + K1), a);
    d = hash16(u64(b + BigInt(length)), u64(c + bytes.readBigUInt64LE(length - 16)));
    a = u64(a + d);
    for (let at = 0; at < length - 16; at += 16) {
      a = u64((a ^ u64(shiftMix(u64(bytes.readBigUInt64LE(at) * K1)) * K1)) * K1);
      b ^= a;
      c = u64((c ^ u64(shiftMix(u64(bytes.readBigUInt64LE(at + 8) * K1)) * K1)) * K1);
      d ^= c;
    }
  }
  a = hash16(a, c);
  b = hash16(d, b);
  return [a ^ b, hash16(b, a)];
}

function hashLong(bytes: Buffer, low: bigint, high: bigint): Hash128 {
  const { length } = bytes;
  const word = (at: number): bigint => bytes.readBigUInt64LE(at);
  let [x, y, z] = [low, high, u64(BigInt(length) * K1)];
  let v0 = u64(rotate(y ^ K1, 49n) * K1 + word(0));
  let v1 = u64(rotate(v0, 42n) * K1 + word(8));
  let w0 = u64(rotate(u64(y + z), 35n) * K1 + x);
  let w1 = u64(rotate(u64(x + word(88)), 53n) * K1);
  let at = 0;
  for (const end = length - (length % 128); at < end; at += 64) {
    x = u64(rotate(u64(x + y + v0 + word(at + 16)), 37n) * K1) ^ w1;
    y = u64(rotate(u64(y + v1 + word(at + 48)), 42n) * K1) ^ v0;
    z = rotate(z ^ w0, 33n);
    [v0, v1] = hash32(bytes, at, u64(v1 * K1), u64(x + w0));
    [w0, w1] = hash32(bytes, at + 32, u64(z + w1), y);
    [z, x] = [x, z];
  }
  y = u64(y + rotate(w0, 37n) * K0 + z);
  x = u64(x + rotate(u64(v0 + z), 49n) * K0);
  for (let back = 32; back < length - at + 32; back += 32) {
    y = u64(rotate(u64(y - x), 42n) * K0 + v1);
    w0 = u64(w0 + word(length - back + 16));
    x = u64(rotate(x, 49n) * K0 + w0);
    w0 = u64(w0 + v0);
    [v0, v1] = hash32(bytes, length - back, v0, v1);
  }
  x = hash16(x, v0);
  y = hash16(y, w0);
  return [u64(hash16(u64(x + v1), w1) + y), hash16(u64(x + w1), u64(y + v1))];
}

/** Hashes 32 bytes. */
function hash32(bytes: Buffer, at: number, seedA: bigint, seedB: bigint): Hash128 {
  const last = bytes.readBigUInt64LE(at + 24);
  const first = u64(seedA + bytes.readBigUInt64LE(at));
  const sum = u64(first + bytes.readBigUInt64LE(at + 8) + bytes.readBigUInt64LE(at + 16));
  const b = rotate(u64(seedB + first + last), 21n) + rotate(sum, 44n);
  return [u64(sum + last), u64(b + first)];
}

function hash16(low: bigint, high: bigint): bigint {
  const a = shiftMix(u64((low ^ high) * MUL));
  return u64(shiftMix(u64((high ^ a) * MUL)) * MUL);
}

function hashUpTo16(bytes: Buffer): bigint {
  const { length } = bytes;
  const size = BigInt(length);
  if (length > 8) {
    const last = bytes.readBigUInt64LE(length - 8);
    return hash16(bytes.readBigUInt64LE(0), rotate(u64(last + size), size)) ^ last;
  }
  if (length >= 4)
    return hash16(size + (BigInt(bytes.readUInt32LE(0)) << 3n), BigInt(bytes.readUInt32LE(length - 4)));
  if (length === 0) return K2;
  const y = BigInt(bytes.readUInt8(0)) + (BigInt(bytes.readUInt8(length >> 1)) << 8n);
  const z = size + (BigInt(bytes.readUInt8(length - 1)) << 2n);
  return u64(shiftMix(u64(y * K2) ^ u64(z * K3)) * K2);
}
