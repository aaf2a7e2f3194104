type Library = typeof import('@simplewebauthn/server')
type Helpers = typeof import('@simplewebauthn/server/helpers')

/**
 * The WebAuthn library, loaded at its first use: it takes 0.3 s and 28 MiB, which an installation without passkeys does not need. A process loads it once.
 */
export async function loadPasskeyLibrary(): Promise<Library & Helpers> {
  const [library, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  return { ...library, ...helpers }
}
