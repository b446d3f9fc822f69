// Avro files end with a marker that the engine chooses by the second in which it writes them.

/** The bytes of a response, as Latin-1, without that marker if they are an Avro file. */
export function withoutMarker(bytes: string): string {
  return bytes.startsWith('Obj') ? bytes.replaceAll(bytes.slice(-16), '') : bytes;
}
