export const SIGNERS = '/edge/management/v1/ext-jwt-signers'
export const CLIENT_SIGNERS = '/edge/client/v1/external-jwt-signers'

/** A valid signer; name, issuer and audience are unique to `name`. */
export function buildSignerBody(name: string) {
  return {
    name,
    enabled: true,
    issuer: `https://${name}.example.test`,
    audience: `audience of ${name}`,
    externalAuthUrl: `https://${name}.example.test/login`,
    jwksEndpoint: `https://${name}.example.test/keys`,
  }
}
