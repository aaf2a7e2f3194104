const DIGITS = 64

/** How a sealing key is written: 64 hexadecimal digits, as of `openssl rand -hex 32`. */
export function isSealingKey(text: string): boolean {
  return text.length === DIGITS && /^[0-9a-fA-F]+$/.test(text)
}
