/** WebCrypto's `CryptoKey`; not every runtime's types declare that name. */
export type WebKey = Parameters<typeof crypto.subtle.sign>[1]
