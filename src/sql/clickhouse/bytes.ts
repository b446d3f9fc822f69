// Text as UTF-8 bytes, and bytes as hexadecimal digits, with what browsers have as well.

const ENCODER = new TextEncoder();
/** Bytes that are not UTF-8 become U+FFFD. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

export function bytesOfText(text: string): Uint8Array {
  return ENCODER.encode(text);
}

export function textOfBytes(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

/** A string each of whose characters is a byte of `text` in UTF-8. */
export function byteString(text: string): string {
  return Array.from(bytesOfText(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Two lower-case digits for each character of `bytes`, which is a byte. */
export function hexOf(bytes: string): string {
  return Array.from(bytes, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** A string each of whose characters is the byte of two of the digits; `hex` has pairs of digits only. */
export function bytesOfHex(hex: string): string {
  return hex.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
