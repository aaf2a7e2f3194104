const DIGITS = 64

/** Whether the text is a sealing key: 64 hexadecimal digits, as from `openssl rand -hex 32`. */
export function isSealingKey(text: string): boolean {
  return text.length === DIGITS && /^[0-9a-fA-F]+$/.test(text)
}
