// SQL as it is written into endpoint files.

/** Characters that YAML cannot hold as they are would become escapes in one long line. */
export function printable(sql: string): string {
  const lines = sql.replace(/\r\n?/g, '\n').replace(/\t/g, '  ');
  // oxlint-disable-next-line no-control-regex -- these characters are what it removes
  const plain = lines.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u0085\u2028\u2029\ufeff]/g, ' ');
  return plain.replace(/ +$/gm, '').trim();
}
