import { created, done, list, type OperationNote, one, resource, wholeList } from './operation.ts'

const SIGNER = ['an External JWT Signer', 'External JWT Signers'] as const

/** The collection of signers has two names with the same calls. */
const signerCalls = (path: string): Record<string, OperationNote> => ({
  ...resource(path, 'Signer', ...SIGNER),
  [`POST ${path}/explain`]: one('Explanation', 'Explain why a token is refused, or that it is not'),
  [`POST ${path}/discover`]: one('DiscoveredSigner', 'Read the members of a signer from the issuer’s own document'),
  [`POST ${path}/read-certificate`]: one('SignerCertificate', 'Tell what is in a certificate, before it is saved'),
  [`POST ${path}/:id/refresh-keys`]: one('KeyStatus', 'Fetch the keys of a signer now'),
})

/**
 * Every call of the two APIs by method and path below the base path, in the words of the description. Where the two differ,
 * the name of the API stands in front.
 */
export const OPERATIONS: Readonly<Record<string, OperationNote>> = {
  'GET /': one('Version', 'Say which version speaks here, and where'),
  'GET /version': one('Version', 'Say which version speaks here, and where'),
  'GET /.well-known/est/cacerts': {
    summary: 'Get the certificates of the authority to trust',
    answer: { kind: 'other', what: 'Certs-only PKCS#7 in base64, in lines of 64 characters' },
  },
  'GET /protocols': one('Protocols', 'Say under which address the controller is reached'),
  'GET /network-jwts': wholeList('NetworkJwt', 'Get a signed word of where this network is'),
  'GET /enumerated-capabilities': wholeList('text', 'List what the controller can do besides'),
  'GET /specs': wholeList('Specification', 'List the descriptions of the APIs'),
  'GET /specs/:id': one('Specification', 'Get one description of an API'),
  'GET /specs/:id/spec': {
    summary: 'Get the OpenAPI document itself',
    answer: { kind: 'other', what: 'An OpenAPI 3.1 document' },
  },
  'GET /controllers': list('Controller', 'List the controllers of the network, which are this one'),

  'POST /authenticate': one('CurrentApiSession', 'Sign in, and begin a session', {
    parameters: ['method'],
    takesToken: true,
    more:
      'The session token is in `data.token` and in the header `zt-session`. With `method=ext-jwt` the credential is a token of an External JWT Signer in `Authorization: Bearer`, and there need not be a body. ' +
      '`authQueries` lists what the session still lacks.',
  }),
  'GET /current-api-session': one('CurrentApiSession', 'Get the session that this call is made with'),
  'DELETE /current-api-session': done('Sign out: end the session'),
  'GET /current-api-session/service-updates': one('ServiceUpdates', 'Say when services changed last: never'),
  'POST /current-api-session/certificates': {
    summary: 'Get a certificate for the connections of the session',
    answer: { kind: 'one', of: 'NewSessionCertificate', status: 201 },
  },
  'GET /current-api-session/certificates': list('SessionCertificate', 'List the certificates of the session'),
  'GET /current-api-session/certificates/:id': one('SessionCertificate', 'Get a certificate of the session'),
  'DELETE /current-api-session/certificates/:id': done('Take back a certificate of the session'),
  'GET /current-identity': one('Identity', 'Get the identity whose session it is'),
  'GET /current-identity/authenticators': list('Authenticator', 'List what one signs in with oneself'),
  'GET /current-identity/authenticators/:id': one('Authenticator', 'Get one of one’s own authenticators'),
  'PUT /current-identity/authenticators/:id': done('Change one’s own user name and password'),
  'PATCH /current-identity/authenticators/:id': done('Change one’s own password'),
  'POST /current-identity/authenticators/:id/extend': one('RenewedCertificate', 'Renew one’s own certificate', {
    more: 'The connection must show the certificate that is to be renewed.',
  }),
  'POST /current-identity/authenticators/:id/extend-verify': done(
    'Put a renewed certificate in the place of the old one',
  ),
  'POST /current-identity/mfa': created('Begin to set up one-time codes'),
  'GET /current-identity/mfa': one(
    'OneTimeCodes',
    'Get one’s own one-time codes, with the secret until they are verified',
  ),
  'DELETE /current-identity/mfa': done('Give up one-time codes', { parameters: ['validationCode'] }),
  'GET /current-identity/mfa/qr-code': {
    summary: 'Get the secret of one-time codes as a picture, until they are verified',
    answer: { kind: 'other', what: 'A QR code' },
  },
  'POST /current-identity/mfa/verify': done('Prove that the one-time codes are set up'),
  'GET /current-identity/mfa/recovery-codes': one('RecoveryCodes', 'Get the recovery codes that are left', {
    parameters: ['validationCode'],
  }),
  'POST /current-identity/mfa/recovery-codes': done('Make new recovery codes'),
  'POST /authenticate/mfa': done('Complete the session with a one-time code or a recovery code'),
  'POST /current-api-session/totp-token': done('Trade a one-time code for a token: not here, always a 400'),
  'GET /current-identity/edge-routers': list('OverlayThing', 'List one’s edge routers: none'),
  'GET /services': list('OverlayThing', 'List one’s services: none'),
  'GET /sessions': list('OverlayThing', 'List one’s sessions with services: none'),
  'POST /enroll': one('Enrolled', 'Enroll with a one-time token, or in another way', {
    parameters: ['enrollMethod', 'oneTimeToken'],
    more: 'A certificate signing request may also be the whole body, as PEM.',
  }),
  'POST /enroll/ott': one('Enrolled', 'Enroll with a one-time token, to a certificate'),
  'POST /enroll/updb': one('Enrolled', 'Enroll with a one-time token, to a password', { parameters: ['oneTimeToken'] }),
  'POST /enroll/ottca': done('Enroll under a CA of one’s own: not here, always a 400'),
  'POST /enroll/ca': done('Enroll by a CA of one’s own: not here, always a 400'),
  'POST /enroll/erott': done('Enroll an edge router: not here, always a 400'),
  'POST /enroll/extend/router': done('Renew the certificates of a router: not here, always a 400'),
  'POST /enroll/challenge': done('Ask for a challenge: not here, always a 400'),
  'GET /enroll/jwks': {
    summary: 'Get keys for enrollment: not here, always a 501',
    answer: { kind: 'other', what: 'Never' },
  },
  'POST /enroll/token': one('Enrolled', 'Enroll with a provider’s token, to a certificate or to token use', {
    parameters: ['tokenIssuerId'],
    takesToken: true,
    more: 'The token is in `Authorization: Bearer`. With a certificate signing request in `clientCsr` the answer holds a certificate; without, the client signs in with the same token.',
  }),

  'edge-client GET /external-jwt-signers': list('ClientSigner', 'List the signers that one may choose from', {
    more: 'Without parameters the list is whole and `meta` is empty.',
  }),
  ...signerCalls('/ext-jwt-signers'),
  ...signerCalls('/external-jwt-signers'),
  'GET /auth-decisions': list('AuthDecision', 'List refused sign-ins of the last 24 hours'),
  'GET /auth-decisions/:id': one('AuthDecision', 'Get why a sign-in was refused, by its request id'),
  'GET /events': {
    summary: 'Read events as they happen',
    answer: { kind: 'other', what: 'Server-sent events, one JSON object each, without end' },
    parameters: ['lastEventId'],
  },
  ...resource('/auth-policies', 'AuthPolicy', 'an authentication policy', 'authentication policies'),
  ...resource('/identities', 'Identity', 'an identity', 'identities'),
  'GET /identities': list('Identity', 'List identities', { parameters: ['roleFilter', 'roleSemantic'] }),
  'POST /identities/:id/disable': done('Disable an identity and end its sessions', { parameters: ['ifMatch'] }),
  'POST /identities/:id/enable': done('Enable an identity again', { parameters: ['ifMatch'] }),
  'GET /identities/:id/authenticators': list('Authenticator', 'List what an identity signs in with'),
  'GET /identities/:id/role-attributes': list('text', 'List the attributes of an identity'),
  'GET /identities/:id/services': list('OverlayThing', 'List the services of an identity: none'),
  'GET /identities/:id/edge-routers': list('OverlayThing', 'List the edge routers of an identity: none'),
  'GET /identities/:id/service-policies': list('OverlayThing', 'List the service policies of an identity: none'),
  'GET /identities/:id/edge-router-policies': list('OverlayThing', 'List the router policies of an identity: none'),
  'GET /identities/:id/service-configs': wholeList(
    'OverlayThing',
    'List the service configurations of an identity: none',
  ),
  'GET /identities/:id/failed-service-requests': wholeList('OverlayThing', 'List failed requests for services: none'),
  'GET /identities/:id/posture-data': one('PostureData', 'Get what a device told about itself: nothing'),
  'GET /identity-role-attributes': list('text', 'List every attribute that some identity has'),
  'GET /identity-types': list('IdentityType', 'List the types of identities'),
  'GET /identity-types/:id': one('IdentityType', 'Get a type of identities'),
  ...resource('/authenticators', 'Authenticator', 'an authenticator', 'authenticators'),
  'POST /authenticators/:id/re-enroll': created('Take an authenticator away, and let its holder enroll anew'),
  'POST /authenticators/:id/request-extend': done('Ask the holder of a certificate to renew it'),
  'POST /identities/:id/request-extend': done('Ask an identity to renew its certificates'),
  'DELETE /identities/:id/api-sessions': done('End all sessions of an identity'),
  'DELETE /identities/:id/mfa': done('Take an identity’s one-time codes away'),
  'GET /identities/:id/enrollments': list('Enrollment', 'List the enrollments that wait for an identity'),
  'GET /enrollments': list('Enrollment', 'List enrollments'),
  'POST /enrollments': created('Create an enrollment'),
  'GET /enrollments/:id': one('Enrollment', 'Get an enrollment'),
  'DELETE /enrollments/:id': done('Delete an enrollment'),
  'POST /enrollments/:id/refresh': done('Give an enrollment more time and another token'),
  'GET /api-sessions': list('ApiSession', 'List everybody’s sessions'),
  'GET /api-sessions/:id': one('ApiSession', 'Get a session'),
  'DELETE /api-sessions/:id': done('End a session'),
  'GET /summary': one('Summary', 'Say how much of everything there is'),
}
