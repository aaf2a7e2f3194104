export const SIGNERS = '/edge/management/v1/ext-jwt-signers'
export const CLIENT_SIGNERS = '/edge/client/v1/external-jwt-signers'

/** A good signer of its own name, issuer and audience. */
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
