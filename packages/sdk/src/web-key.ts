/** A key of WebCrypto, under the name by which every runtime's types know it. */
export type WebKey = Parameters<typeof crypto.subtle.sign>[1]
