// An entry as bytes for a store outside: a fixed header, then content type, tag, key and body, authenticated as a whole.
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { ETAG_FORM, type Entry, type Payload } from './entry.ts';

/** Changes with the layout; part of every key outside, so that releases that differ do not meet. */
export const FRAME_VERSION = 2;

/** What makes a frame one of ours. */
export interface FrameTrust {
  /** Of the HMAC over everything else: whoever has it can write frames. */
  readonly secret: KeyObject;
  /** Content types that are served; others are corrupt even with a valid HMAC. */
  readonly contentTypes: ReadonlySet<string>;
}

/** What a frame tells. Its times are those of the process that wrote it. */
export interface Frame {
  readonly kind: 'frame';
  readonly payload: Payload;
  readonly etag: string;
  readonly bornEpoch: number;
  readonly keepMs: number;
}

export interface Rubbish {
  readonly kind: 'rubbish';
  readonly reason: string;
}

export interface FrameLimits {
  /** Bodies of more bytes are compressed. */
  readonly compressOver: number;
  /** Bodies of more bytes are rubbish, whatever they say to become. */
  readonly maxBody: number;
}

/** Byte offsets. Integers are little-endian. The HMAC (RFC 2104, SHA-256) is of all that follows it. */
const AT = {
  magic: 0,
  mac: 4,
  version: 36,
  flags: 37,
  typeLength: 38,
  tagLength: 40,
  keyLength: 42,
  rows: 44,
  bodyLength: 48,
  born: 52,
  keep: 60,
  end: 68,
} as const;

const MAGIC = 0x3143524d; // "MRC1"
/** Content type, tag and key, each at most as long as its length field allows. */
const MAX_TEXTS = 3 * 0xffff;
const TRUNCATED = 1;
const BROTLI = 2;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
// Quality 1 beats gzip 1 on rows of logs, in size and in time.
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** No frame is longer, whatever it holds: more need not be read. */
export function maxFrameBytes({ maxBody }: Pick<FrameLimits, 'maxBody'>): number {
  return AT.end + MAX_TEXTS + maxBody;
}

/** The frame of an entry under a key; both are checked when it is read. */
export async function encodeFrame(
  key: string,
  entry: Entry,
  { secret, compressOver }: FrameTrust & FrameLimits,
): Promise<Buffer> {
  const packed = entry.body.length > compressOver ? await compress(entry.body, COMPRESSION) : undefined;
  const body = packed !== undefined && packed.length < entry.body.length ? packed : entry.body;
  const [type, tag, name] = [entry.contentType, entry.etag, key].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
    Buffer,
  ]; // three in, three out
  const header = Buffer.alloc(AT.end);
  header.writeUInt32LE(MAGIC, AT.magic);
  header.writeUInt8(FRAME_VERSION, AT.version);
  header.writeUInt8((entry.truncated ? TRUNCATED : 0) | (body === packed ? BROTLI : 0), AT.flags);
  header.writeUInt16LE(type.length, AT.typeLength);
  header.writeUInt16LE(tag.length, AT.tagLength);
  header.writeUInt16LE(name.length, AT.keyLength);
  header.writeUInt32LE(entry.rows, AT.rows);
  header.writeUInt32LE(entry.body.length, AT.bodyLength);
  header.writeDoubleLE(entry.born.epoch, AT.born);
  header.writeDoubleLE(entry.keepMs, AT.keep);
  const frame = Buffer.concat([header, type, tag, name, body]);
  macOf(secret, frame).copy(frame, AT.mac);
  return frame;
}

/**
 * Reads a frame that should be `key`'s. Nothing but its length, its first bytes and its HMAC is looked at before the HMAC is
 * found right. Never rejects; an uncompressed body is a view of `bytes`.
 */
export async function decodeFrame(
  key: string,
  bytes: Buffer,
  limits: FrameTrust & FrameLimits,
): Promise<Frame | Rubbish> {
  const reason = faultOf(bytes, limits);
  if (reason !== undefined) return rubbish(reason);
  const typeEnd = AT.end + bytes.readUInt16LE(AT.typeLength);
  const tagEnd = typeEnd + bytes.readUInt16LE(AT.tagLength);
  const keyEnd = tagEnd + bytes.readUInt16LE(AT.keyLength);
  if (bytes.toString('utf8', tagEnd, keyEnd) !== key) return rubbish('it belongs to another key');
  const bodyLength = bytes.readUInt32LE(AT.bodyLength);
  if (bodyLength > limits.maxBody) return rubbish(`its body has ${bodyLength} bytes`);
  const head = {
    contentType: bytes.toString('utf8', AT.end, typeEnd),
    etag: bytes.toString('utf8', typeEnd, tagEnd),
    bornEpoch: bytes.readDoubleLE(AT.born),
    keepMs: bytes.readDoubleLE(AT.keep),
  };
  const wrong = faultOfHead(head, limits);
  if (wrong !== undefined) return rubbish(wrong);
  const flags = bytes.readUInt8(AT.flags);
  const stored = bytes.subarray(keyEnd);
  const body = (flags & BROTLI) === 0 ? stored : await unpack(stored, bodyLength);
  if (body?.length !== bodyLength) return rubbish('its body is not of the length it names');
  return {
    kind: 'frame',
    payload: {
      body,
      contentType: head.contentType,
      rows: bytes.readUInt32LE(AT.rows),
      truncated: (flags & TRUNCATED) !== 0,
    },
    etag: head.etag,
    bornEpoch: head.bornEpoch,
    keepMs: head.keepMs,
  };
}

function rubbish(reason: string): Rubbish {
  return { kind: 'rubbish', reason };
}

/** What is wrong with bytes before anything in them is believed. */
function faultOf(bytes: Buffer, { secret, ...limits }: FrameTrust & FrameLimits): string | undefined {
  if (bytes.length > maxFrameBytes(limits)) return 'it is larger than any entry';
  if (bytes.length < AT.end || bytes.readUInt32LE(AT.magic) !== MAGIC) return 'it is not a frame';
  if (bytes.readUInt8(AT.version) !== FRAME_VERSION) return 'it has another version';
  if (!timingSafeEqual(macOf(secret, bytes), bytes.subarray(AT.mac, AT.version))) return 'its HMAC is wrong';
  return undefined;
}

function macOf(secret: KeyObject, frame: Buffer): Buffer {
  return createHmac('sha256', secret).update(frame.subarray(AT.version)).digest();
}

/** What no process of ours would have written: a second barrier, should the key be known. */
function faultOfHead(
  head: { readonly contentType: string; readonly etag: string } & Pick<Frame, 'bornEpoch' | 'keepMs'>,
  { contentTypes }: FrameTrust,
): string | undefined {
  if (!contentTypes.has(head.contentType)) return 'its content type is not one of ours';
  if (!ETAG_FORM.test(head.etag)) return 'its entity tag is not one of ours';
  const isTimed = Number.isFinite(head.bornEpoch) && Number.isFinite(head.keepMs) && head.keepMs > 0;
  return isTimed ? undefined : 'its times are not numbers';
}

async function unpack(packed: Buffer, length: number): Promise<Buffer | undefined> {
  // One byte more than promised is enough to know: nothing can unfold to fill the memory.
  return decompress(packed, { maxOutputLength: Math.max(1, length) }).catch(() => undefined);
}
