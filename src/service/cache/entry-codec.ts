// The binary encoding of an entry in the shared cache: a fixed header, then content type, tag, fingerprint, key and body,
// authenticated as a whole.
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { ETAG_FORM, FINGERPRINT_FORM, type Cost, type Entry, type Payload } from './entry.ts';

/** Changes with the layout. Part of every key in the shared cache, so that different releases never share entries. */
export const FORMAT_VERSION = 5;

/** What a valid frame must match. */
export interface FrameTrust {
  /** The HMAC key. Anyone who holds it can forge frames. */
  readonly secret: KeyObject;
  /** Content types that may be served; any other is treated as corrupt, even with a valid HMAC. */
  readonly contentTypes: ReadonlySet<string>;
}

/** The decoded contents of a frame. Its times are those of the writing process. */
export interface Frame {
  readonly kind: 'frame';
  readonly payload: Payload;
  readonly etag: string;
  readonly bornEpoch: number;
  readonly keepMs: number;
  readonly fingerprint: string;
}

export interface CorruptEntry {
  readonly kind: 'corrupt';
  readonly reason: string;
}

export interface CodecLimits {
  /** Bodies larger than this many bytes are compressed. */
  readonly compressOver: number;
  /** Frames with larger bodies are rejected as corrupt, before and after decompression. */
  readonly maxBody: number;
}

/** Byte offsets. Integers are little-endian. The HMAC (RFC 2104, SHA-256) covers everything after it. */
const AT = {
  magic: 0,
  mac: 4,
  version: 36,
  flags: 37,
  typeLength: 38,
  tagLength: 40,
  fingerprintLength: 42,
  keyLength: 44,
  rows: 46,
  bodyLength: 50,
  born: 54,
  keep: 62,
  rowsRead: 70,
  bytesRead: 78,
  engineMs: 86,
  newest: 94,
  end: 102,
} as const;

const MAGIC = 0x3143524d; // "MRC1"
/** Content type, tag, fingerprint and key, each at most as long as its length field allows. */
const MAX_TEXTS = 4 * 0xffff;
const TRUNCATED = 1;
const BROTLI = 2;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
// Brotli quality 1 beats gzip level 1 on log rows, in both size and time.
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** The largest possible frame, so that a read can be bounded. */
export function maxFrameBytes({ maxBody }: Pick<CodecLimits, 'maxBody'>): number {
  return AT.end + MAX_TEXTS + maxBody;
}

/** Encodes an entry for a key. The HMAC covers both. */
export async function encodeEntry(
  key: string,
  entry: Entry,
  { secret, compressOver }: FrameTrust & CodecLimits,
): Promise<Buffer> {
  const packed = entry.body.length > compressOver ? await compress(entry.body, COMPRESSION) : undefined;
  const body = packed !== undefined && packed.length < entry.body.length ? packed : entry.body;
  const fields = [entry.contentType, tagWithCursor(entry), key].map((text) => Buffer.from(text));
  const [type, tag, name] = fields as [Buffer, Buffer, Buffer]; // map() over three strings gives three buffers
  const fingerprint = Buffer.from(entry.fingerprint);
  const header = Buffer.alloc(AT.end);
  header.writeUInt32LE(MAGIC, AT.magic);
  header.writeUInt8(FORMAT_VERSION, AT.version);
  header.writeUInt8((entry.truncated ? TRUNCATED : 0) | (body === packed ? BROTLI : 0), AT.flags);
  header.writeUInt16LE(type.length, AT.typeLength);
  header.writeUInt16LE(tag.length, AT.tagLength);
  header.writeUInt16LE(fingerprint.length, AT.fingerprintLength);
  header.writeUInt16LE(name.length, AT.keyLength);
  header.writeUInt32LE(entry.rows, AT.rows);
  header.writeUInt32LE(entry.body.length, AT.bodyLength);
  header.writeDoubleLE(entry.born.epoch, AT.born);
  header.writeDoubleLE(entry.keepMs, AT.keep);
  header.writeDoubleLE(entry.cost?.rowsRead ?? NaN, AT.rowsRead);
  header.writeDoubleLE(entry.cost?.bytesRead ?? NaN, AT.bytesRead);
  header.writeDoubleLE(entry.cost?.engineMs ?? NaN, AT.engineMs);
  header.writeDoubleLE(entry.newest === null ? -Infinity : (entry.newest ?? NaN), AT.newest);
  const frame = Buffer.concat([header, type, tag, fingerprint, name, body]);
  macOf(secret, frame).copy(frame, AT.mac);
  return frame;
}

/**
 * Decodes the frame stored under `key`. Until the HMAC is verified, only its length, magic number and version are
 * examined. Never rejects; an uncompressed body is a view of `bytes`.
 */
export async function decodeEntry(
  key: string,
  bytes: Buffer,
  limits: FrameTrust & CodecLimits,
): Promise<Frame | CorruptEntry> {
  const reason = faultOf(bytes, limits);
  if (reason !== undefined) return corrupt(reason);
  const typeEnd = AT.end + bytes.readUInt16LE(AT.typeLength);
  const tagEnd = typeEnd + bytes.readUInt16LE(AT.tagLength);
  const fingerprintEnd = tagEnd + bytes.readUInt16LE(AT.fingerprintLength);
  const keyEnd = fingerprintEnd + bytes.readUInt16LE(AT.keyLength);
  if (bytes.toString('utf8', fingerprintEnd, keyEnd) !== key) return corrupt('it belongs to another key');
  const bodyLength = bytes.readUInt32LE(AT.bodyLength);
  if (bodyLength > limits.maxBody) return corrupt(`its body has ${bodyLength} bytes`);
  const head = {
    contentType: bytes.toString('utf8', AT.end, typeEnd),
    ...readTag(bytes.toString('utf8', typeEnd, tagEnd)),
    bornEpoch: bytes.readDoubleLE(AT.born),
    keepMs: bytes.readDoubleLE(AT.keep),
    fingerprint: bytes.toString('utf8', tagEnd, fingerprintEnd),
  };
  const wrong = faultOfHead(head, limits);
  if (wrong !== undefined) return corrupt(wrong);
  const flags = bytes.readUInt8(AT.flags);
  const cost = readCost(bytes);
  const newest = readNewest(bytes);
  const stored = bytes.subarray(keyEnd);
  const body = (flags & BROTLI) === 0 ? stored : await unpack(stored, bodyLength);
  if (body?.length !== bodyLength) return corrupt('its body does not have the declared length');
  return {
    kind: 'frame',
    payload: {
      body,
      contentType: head.contentType,
      rows: bytes.readUInt32LE(AT.rows),
      truncated: (flags & TRUNCATED) !== 0,
      ...(head.next === undefined ? {} : { next: head.next }),
      ...(cost === undefined ? {} : { cost }),
      ...(newest === undefined ? {} : { newest }),
    },
    etag: head.etag,
    bornEpoch: head.bornEpoch,
    keepMs: head.keepMs,
    fingerprint: head.fingerprint,
  };
}

/** What is not known is NaN. */
function readCost(bytes: Buffer): Cost | undefined {
  const [rowsRead, bytesRead, engineMs] = [AT.rowsRead, AT.bytesRead, AT.engineMs].map((at) => {
    const value = bytes.readDoubleLE(at);
    return Number.isFinite(value) && value >= 0 ? value : undefined;
  });
  return engineMs === undefined ? undefined : { rowsRead, bytesRead, engineMs };
}

/** NaN without one of a policy; minus infinity if no row has a time. */
function readNewest(bytes: Buffer): number | null | undefined {
  const value = bytes.readDoubleLE(AT.newest);
  if (Number.isFinite(value)) return value;
  return value === -Infinity ? null : undefined;
}

/** The entity tag, and after a space the cursor of the next page if there is one. */
function tagWithCursor({ etag, next }: Entry): string {
  return next === undefined ? etag : `${etag} ${next}`;
}

function readTag(text: string): { readonly etag: string; readonly next: string | undefined } {
  const [, etag = text, next] = CURSOR_FORM.exec(text) ?? [];
  return { etag, next };
}

const CURSOR_FORM = /^(\S+) ([\w-]{1,4096})$/;

function corrupt(reason: string): CorruptEntry {
  return { kind: 'corrupt', reason };
}

/** What is wrong with the bytes, checked before any of their content is trusted. */
function faultOf(bytes: Buffer, { secret, ...limits }: FrameTrust & CodecLimits): string | undefined {
  if (bytes.length > maxFrameBytes(limits)) return 'it is larger than any valid entry';
  if (bytes.length < AT.end || bytes.readUInt32LE(AT.magic) !== MAGIC) return 'it is not an encoded entry';
  if (bytes.readUInt8(AT.version) !== FORMAT_VERSION) return 'its format version is different';
  if (!timingSafeEqual(macOf(secret, bytes), bytes.subarray(AT.mac, AT.version))) return 'its HMAC is wrong';
  return undefined;
}

function macOf(secret: KeyObject, frame: Buffer): Buffer {
  return createHmac('sha256', secret).update(frame.subarray(AT.version)).digest();
}

/** Values that this service never writes: a second barrier in case the key has leaked. */
function faultOfHead(
  head: { readonly contentType: string; readonly etag: string } & Pick<
    Frame,
    'bornEpoch' | 'keepMs' | 'fingerprint'
  >,
  { contentTypes }: FrameTrust,
): string | undefined {
  if (!contentTypes.has(head.contentType)) return 'its content type is not allowed';
  if (!ETAG_FORM.test(head.etag)) return 'its entity tag is malformed';
  if (!FINGERPRINT_FORM.test(head.fingerprint)) return 'its fingerprint is malformed';
  const isTimed = Number.isFinite(head.bornEpoch) && Number.isFinite(head.keepMs) && head.keepMs > 0;
  return isTimed ? undefined : 'its times are invalid';
}

async function unpack(packed: Buffer, length: number): Promise<Buffer | undefined> {
  // Output is capped just at the declared length, so that a decompression bomb cannot exhaust memory.
  return decompress(packed, { maxOutputLength: Math.max(1, length) }).catch(() => undefined);
}
