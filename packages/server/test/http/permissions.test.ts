import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PERMISSIONS, type Permission } from '@countersign/contract'
import { extendSession } from '../../src/operations/api-session/extend-session.ts'
import { isHostedRoute } from '../hosted/is-hosted-route.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword, OWN_SESSION } from './identities.fixture.ts'
import { examplePath, makeSecondSigner, makeStrictPolicy } from './second-token.fixture.ts'

/**
 * What a route requires: nothing, a session (possibly without its second factor), a complete session, the permission
 * `<entity>.<action>`, or an administrator.
 */
type Needs =
  | 'nothing'
  | 'partial session'
  | 'session'
  | Permission
  | 'admin.read'
  | 'admin.change'
  | 'revocation.read'
  | 'revocation.create'

/** The requirement of every route. A route that is missing here fails the test below. */
const NEEDS: Readonly<Record<string, Needs>> = {
  'GET /': 'nothing',
  'GET /version': 'nothing',
  'GET /edge/client/v1': 'nothing',
  'GET /edge/client/v1/version': 'nothing',
  'GET /edge/management/v1': 'nothing',
  'GET /edge/management/v1/version': 'nothing',
  'GET /.well-known/est/cacerts': 'nothing',
  'GET /health-checks/v1': 'nothing',
  'GET /health-checks/v1/readiness': 'nothing',
  'GET /health-checks/v1/liveness': 'nothing',
  'GET /edge/client/v1/.well-known/est/cacerts': 'nothing',
  'GET /edge/management/v1/.well-known/est/cacerts': 'nothing',
  'GET /edge/client/v1/protocols': 'nothing',
  'GET /edge/client/v1/network-jwts': 'nothing',
  'GET /edge/client/v1/pki/crl': 'nothing',
  'GET /edge/management/v1/network-jwts': 'nothing',
  'GET /edge/client/v1/enumerated-capabilities': 'nothing',
  'GET /edge/management/v1/enumerated-capabilities': 'nothing',
  'GET /edge/client/v1/specs': 'nothing',
  'GET /edge/management/v1/specs': 'nothing',
  'GET /edge/client/v1/specs/:id': 'nothing',
  'GET /edge/management/v1/specs/:id': 'nothing',
  'GET /edge/client/v1/specs/:id/spec': 'nothing',
  'GET /edge/management/v1/specs/:id/spec': 'nothing',
  'GET /api-docs/': 'nothing',
  'GET /api-docs/edge-client': 'nothing',
  'GET /api-docs/edge-client.json': 'nothing',
  'GET /api-docs/edge-client.yaml': 'nothing',
  'GET /api-docs/edge-management': 'nothing',
  'GET /api-docs/edge-management.json': 'nothing',
  'GET /api-docs/edge-management.yaml': 'nothing',
  'GET /api-docs/hosted': 'nothing',
  'GET /api-docs/hosted.json': 'nothing',
  'GET /api-docs/hosted.yaml': 'nothing',
  'GET /api-docs/page.css': 'nothing',
  'GET /api-docs/page.js': 'nothing',
  'GET /console/': 'nothing',
  'GET /console/*': 'nothing',
  'GET /console/session': 'nothing',
  'POST /console/session': 'nothing',
  'POST /console/session/passkey': 'nothing',
  'DELETE /console/session': 'nothing',
  'GET /console/login/:signerId': 'nothing',
  'GET /console/callback': 'nothing',
  'GET /console/callback/:signerId': 'nothing',
  'GET /oidc/.well-known/openid-configuration': 'nothing',
  'POST /oidc/.well-known/openid-configuration': 'nothing',
  'GET /oidc/keys': 'nothing',
  'GET /oidc/healthz': 'nothing',
  'GET /oidc/ready': 'nothing',
  'GET /oidc/logged-out': 'nothing',
  'GET /oidc/authorize': 'nothing',
  'POST /oidc/authorize': 'nothing',
  'GET /oidc/authorize/callback': 'nothing',
  'GET /oidc/login/username': 'nothing',
  'POST /oidc/login/username': 'nothing',
  'GET /oidc/login/password': 'nothing',
  'POST /oidc/login/password': 'nothing',
  'GET /oidc/login/cert': 'nothing',
  'POST /oidc/login/cert': 'nothing',
  'GET /oidc/login/ext-jwt': 'nothing',
  'POST /oidc/login/ext-jwt': 'nothing',
  'POST /oidc/login/second-jwt': 'nothing',
  'GET /oidc/login/auth-queries': 'nothing',
  'POST /oidc/login/totp': 'nothing',
  'POST /oidc/login/totp/enroll': 'nothing',
  'DELETE /oidc/login/totp/enroll': 'nothing',
  'POST /oidc/login/totp/enroll/verify': 'nothing',
  'POST /oidc/oauth/token': 'nothing',
  'GET /oidc/oauth/token': 'nothing',
  'POST /oidc/revoke': 'nothing',
  'GET /oidc/userinfo': 'nothing',
  'POST /oidc/userinfo': 'nothing',
  'GET /oidc/end_session': 'nothing',
  'POST /oidc/end_session': 'nothing',
  'POST /edge/client/v1/authenticate/passkey-options': 'nothing',
  'POST /edge/management/v1/authenticate/passkey-options': 'nothing',
  'POST /edge/client/v1/authenticate': 'nothing',
  'POST /edge/management/v1/authenticate': 'nothing',
  'GET /edge/client/v1/external-jwt-signers': 'nothing',
  'POST /edge/client/v1/ext-jwt-signers/:id/backchannel-logout': 'nothing',
  'POST /edge/client/v1/ext-jwt-signers/:id/events': 'nothing',
  'POST /edge/client/v1/external-jwt-signers/:id/backchannel-logout': 'nothing',
  'POST /edge/client/v1/external-jwt-signers/:id/events': 'nothing',
  'POST /edge/client/v1/enroll/token': 'nothing',
  'POST /auth/v1/token': 'nothing',
  'POST /edge/client/v1/enroll': 'nothing',
  'POST /edge/client/v1/enroll/ott': 'nothing',
  'POST /edge/client/v1/enroll/updb': 'nothing',
  'POST /edge/client/v1/enroll/ottca': 'nothing',
  'POST /edge/client/v1/enroll/ca': 'nothing',
  'POST /edge/client/v1/enroll/erott': 'nothing',
  'POST /edge/client/v1/enroll/extend/router': 'nothing',
  'POST /edge/client/v1/enroll/challenge': 'nothing',
  'GET /edge/client/v1/enroll/jwks': 'nothing',

  'GET /edge/client/v1/current-api-session': 'partial session',
  'GET /edge/management/v1/current-api-session': 'partial session',
  'DELETE /edge/client/v1/current-api-session': 'partial session',
  'DELETE /edge/management/v1/current-api-session': 'partial session',
  'GET /edge/client/v1/current-identity': 'session',
  'GET /edge/management/v1/current-identity': 'session',
  'GET /edge/client/v1/current-identity/authenticators': 'session',
  'GET /edge/management/v1/current-identity/authenticators': 'session',
  'GET /edge/client/v1/current-identity/authenticators/:id': 'session',
  'GET /edge/management/v1/current-identity/authenticators/:id': 'session',
  'PUT /edge/client/v1/current-identity/authenticators/:id': 'session',
  'PUT /edge/management/v1/current-identity/authenticators/:id': 'session',
  'PATCH /edge/client/v1/current-identity/authenticators/:id': 'session',
  'PATCH /edge/management/v1/current-identity/authenticators/:id': 'session',
  'POST /edge/client/v1/current-identity/authenticators/:id/extend': 'session',
  'POST /edge/client/v1/current-identity/authenticators/:id/extend-verify': 'session',
  'GET /edge/client/v1/current-identity/api-sessions': 'session',
  'GET /edge/management/v1/current-identity/api-sessions': 'session',
  'DELETE /edge/client/v1/current-identity/api-sessions/:id': 'session',
  'DELETE /edge/management/v1/current-identity/api-sessions/:id': 'session',
  'GET /edge/client/v1/current-identity/auth-decisions': 'session',
  'GET /edge/management/v1/current-identity/auth-decisions': 'session',
  'GET /edge/client/v1/current-identity/logins': 'session',
  'GET /edge/management/v1/current-identity/logins': 'session',
  'POST /edge/client/v1/current-identity/mfa': 'partial session',
  'POST /edge/management/v1/current-identity/mfa': 'partial session',
  'GET /edge/client/v1/current-identity/mfa': 'partial session',
  'GET /edge/management/v1/current-identity/mfa': 'partial session',
  'DELETE /edge/client/v1/current-identity/mfa': 'session',
  'DELETE /edge/management/v1/current-identity/mfa': 'session',
  'GET /edge/client/v1/current-identity/mfa/qr-code': 'partial session',
  'GET /edge/management/v1/current-identity/mfa/qr-code': 'partial session',
  'POST /edge/client/v1/current-identity/mfa/verify': 'partial session',
  'POST /edge/management/v1/current-identity/mfa/verify': 'partial session',
  'GET /edge/client/v1/current-identity/mfa/recovery-codes': 'session',
  'GET /edge/management/v1/current-identity/mfa/recovery-codes': 'session',
  'POST /edge/client/v1/current-identity/mfa/recovery-codes': 'session',
  'POST /edge/management/v1/current-identity/mfa/recovery-codes': 'session',
  'POST /edge/client/v1/authenticate/mfa': 'partial session',
  'POST /edge/management/v1/authenticate/mfa': 'partial session',
  'POST /edge/client/v1/authenticate/passkey': 'partial session',
  'POST /edge/management/v1/authenticate/passkey': 'partial session',
  'POST /edge/client/v1/current-api-session/passkey-options': 'partial session',
  'POST /edge/management/v1/current-api-session/passkey-options': 'partial session',
  'GET /edge/client/v1/current-identity/passkeys': 'session',
  'GET /edge/management/v1/current-identity/passkeys': 'session',
  'POST /edge/client/v1/current-identity/passkey-options': 'partial session',
  'POST /edge/management/v1/current-identity/passkey-options': 'partial session',
  'POST /edge/client/v1/current-identity/passkeys': 'partial session',
  'POST /edge/management/v1/current-identity/passkeys': 'partial session',
  'GET /edge/client/v1/current-identity/passkeys/:id': 'session',
  'GET /edge/management/v1/current-identity/passkeys/:id': 'session',
  'PATCH /edge/client/v1/current-identity/passkeys/:id': 'session',
  'PATCH /edge/management/v1/current-identity/passkeys/:id': 'session',
  'DELETE /edge/client/v1/current-identity/passkeys/:id': 'session',
  'DELETE /edge/management/v1/current-identity/passkeys/:id': 'session',
  'POST /edge/client/v1/current-api-session/totp-token': 'session',
  'POST /edge/management/v1/current-api-session/totp-token': 'session',

  'GET /edge/client/v1/controllers': 'session',
  'GET /edge/management/v1/controllers': 'admin.read',
  'GET /edge/client/v1/services': 'session',
  'GET /edge/client/v1/sessions': 'session',
  'GET /edge/client/v1/current-identity/edge-routers': 'session',
  'GET /edge/client/v1/current-api-session/service-updates': 'session',
  'POST /edge/client/v1/current-api-session/certificates': 'session',
  'GET /edge/client/v1/current-api-session/certificates': 'session',
  'GET /edge/client/v1/current-api-session/certificates/:id': 'session',
  'DELETE /edge/client/v1/current-api-session/certificates/:id': 'session',
  'GET /edge/management/v1/identity-types': 'session',
  'GET /edge/management/v1/identity-types/:id': 'session',
  'GET /edge/management/v1/summary': 'admin.read',
  'GET /edge/management/v1/config-types': 'config-type.read',
  'GET /edge/management/v1/configs': 'config.read',
  'GET /edge/management/v1/edge-router-policies': 'edge-router-policy.read',
  'GET /edge/management/v1/edge-routers': 'router.read',
  'GET /edge/management/v1/posture-checks': 'posture-check.read',
  'GET /edge/management/v1/routers': 'router.read',
  'GET /edge/management/v1/service-edge-router-policies': 'service-edge-router-policy.read',
  'GET /edge/management/v1/service-policies': 'service-policy.read',
  'GET /edge/management/v1/services': 'service.read',
  'GET /edge/management/v1/sessions': 'ops.read',
  'GET /edge/management/v1/terminators': 'terminator.read',
  'GET /edge/management/v1/transit-routers': 'router.read',

  'GET /edge/management/v1/ext-jwt-signers': 'external-jwt-signer.read',
  'POST /edge/management/v1/ext-jwt-signers': 'external-jwt-signer.create',
  'GET /edge/management/v1/ext-jwt-signers/:id': 'external-jwt-signer.read',
  'PUT /edge/management/v1/ext-jwt-signers/:id': 'external-jwt-signer.update',
  'PATCH /edge/management/v1/ext-jwt-signers/:id': 'external-jwt-signer.update',
  'DELETE /edge/management/v1/ext-jwt-signers/:id': 'external-jwt-signer.delete',
  'GET /edge/management/v1/ext-jwt-signers/:id/scim-tokens': 'admin.read',
  'POST /edge/management/v1/ext-jwt-signers/:id/scim-tokens': 'admin.change',
  'DELETE /edge/management/v1/ext-jwt-signers/:id/scim-tokens/:tokenId': 'admin.change',
  'GET /edge/management/v1/external-jwt-signers/:id/scim-tokens': 'admin.read',
  'POST /edge/management/v1/external-jwt-signers/:id/scim-tokens': 'admin.change',
  'DELETE /edge/management/v1/external-jwt-signers/:id/scim-tokens/:tokenId': 'admin.change',
  'POST /edge/management/v1/ext-jwt-signers/explain': 'admin.change',
  'POST /edge/management/v1/ext-jwt-signers/discover': 'external-jwt-signer.create',
  'POST /edge/management/v1/ext-jwt-signers/read-certificate': 'external-jwt-signer.create',
  'POST /edge/management/v1/ext-jwt-signers/:id/refresh-keys': 'external-jwt-signer.update',
  'POST /edge/management/v1/ext-jwt-signers/:id/trust': 'admin.change',
  'PUT /edge/management/v1/ext-jwt-signers/:id/pushed-keys': 'external-jwt-signer.push-keys',
  'POST /edge/management/v1/ext-jwt-signers/:id/confirm-keys': 'external-jwt-signer.update',
  'GET /edge/management/v1/external-jwt-signers': 'external-jwt-signer.read',
  'POST /edge/management/v1/external-jwt-signers': 'external-jwt-signer.create',
  'GET /edge/management/v1/external-jwt-signers/:id': 'external-jwt-signer.read',
  'PUT /edge/management/v1/external-jwt-signers/:id': 'external-jwt-signer.update',
  'PATCH /edge/management/v1/external-jwt-signers/:id': 'external-jwt-signer.update',
  'DELETE /edge/management/v1/external-jwt-signers/:id': 'external-jwt-signer.delete',
  'POST /edge/management/v1/external-jwt-signers/explain': 'admin.change',
  'POST /edge/management/v1/external-jwt-signers/discover': 'external-jwt-signer.create',
  'POST /edge/management/v1/external-jwt-signers/read-certificate': 'external-jwt-signer.create',
  'POST /edge/management/v1/external-jwt-signers/:id/refresh-keys': 'external-jwt-signer.update',
  'POST /edge/management/v1/external-jwt-signers/:id/trust': 'admin.change',
  'PUT /edge/management/v1/external-jwt-signers/:id/pushed-keys': 'external-jwt-signer.push-keys',
  'POST /edge/management/v1/external-jwt-signers/:id/confirm-keys': 'external-jwt-signer.update',

  'GET /edge/management/v1/auth-decisions': 'admin.read',
  'GET /edge/management/v1/auth-decisions/:id': 'admin.read',
  'GET /edge/management/v1/events': 'admin.read',
  'GET /edge/management/v1/audit-entries': 'admin.read',
  'GET /edge/management/v1/audit-heads': 'admin.read',
  'GET /edge/management/v1/event-sinks': 'admin.change',
  'POST /edge/management/v1/event-sinks': 'admin.change',
  'GET /edge/management/v1/event-sinks/:id': 'admin.change',
  'PUT /edge/management/v1/event-sinks/:id': 'admin.change',
  'PATCH /edge/management/v1/event-sinks/:id': 'admin.change',
  'DELETE /edge/management/v1/event-sinks/:id': 'admin.change',
  'POST /edge/management/v1/event-sinks/:id/test': 'admin.change',
  'POST /edge/management/v1/event-sinks/:id/replay': 'admin.change',

  'GET /edge/management/v1/auth-policies': 'auth-policy.read',
  'POST /edge/management/v1/auth-policies': 'auth-policy.create',
  'GET /edge/management/v1/auth-policies/:id': 'auth-policy.read',
  'PUT /edge/management/v1/auth-policies/:id': 'auth-policy.update',
  'PATCH /edge/management/v1/auth-policies/:id': 'auth-policy.update',
  'DELETE /edge/management/v1/auth-policies/:id': 'auth-policy.delete',

  'GET /edge/management/v1/cas': 'ca.read',
  'POST /edge/management/v1/cas': 'ca.create',
  'GET /edge/management/v1/cas/:id': 'ca.read',
  'PUT /edge/management/v1/cas/:id': 'ca.update',
  'PATCH /edge/management/v1/cas/:id': 'ca.update',
  'DELETE /edge/management/v1/cas/:id': 'ca.delete',
  'POST /edge/management/v1/cas/:id/verify': 'ca.update',
  'GET /edge/management/v1/cas/:id/jwt': 'ca.read',
  'POST /edge/management/v1/cas/:id/trust': 'admin.change',

  'GET /edge/management/v1/identities': 'identity.read',
  'POST /edge/management/v1/identities': 'identity.create',
  'GET /edge/management/v1/identities/:id': 'identity.read',
  'PUT /edge/management/v1/identities/:id': 'identity.update',
  'PATCH /edge/management/v1/identities/:id': 'identity.update',
  'DELETE /edge/management/v1/identities/:id': 'identity.delete',
  'POST /edge/management/v1/identities/:id/disable': 'identity.update',
  'POST /edge/management/v1/identities/:id/enable': 'identity.update',
  'GET /edge/management/v1/identities/:id/authenticators': 'identity.read',
  'GET /edge/management/v1/identities/:id/role-attributes': 'identity.read',
  'GET /edge/management/v1/identities/:id/services': 'identity.read',
  'GET /edge/management/v1/identities/:id/edge-routers': 'identity.read',
  'GET /edge/management/v1/identities/:id/service-policies': 'identity.read',
  'GET /edge/management/v1/identities/:id/edge-router-policies': 'identity.read',
  'GET /edge/management/v1/identities/:id/service-configs': 'identity.read',
  'GET /edge/management/v1/identities/:id/posture-data': 'identity.read',
  'GET /edge/management/v1/identities/:id/failed-service-requests': 'identity.read',
  'GET /edge/management/v1/identity-role-attributes': 'identity.read',
  'DELETE /edge/management/v1/identities/:id/mfa': 'identity.update',
  'GET /edge/management/v1/identities/:id/passkeys': 'identity.read',
  'DELETE /edge/management/v1/identities/:id/passkeys/:passkeyId': 'identity',

  'GET /edge/management/v1/identities/:id/enrollments': 'enrollment.read',

  'GET /edge/management/v1/enrollments': 'enrollment.read',
  'POST /edge/management/v1/enrollments': 'enrollment.create',
  'GET /edge/management/v1/enrollments/:id': 'enrollment.read',
  'DELETE /edge/management/v1/enrollments/:id': 'enrollment.delete',
  'POST /edge/management/v1/enrollments/:id/refresh': 'enrollment.update',
  'POST /edge/management/v1/authenticators/:id/re-enroll': 'identity',

  'GET /edge/management/v1/authenticators': 'identity.read',
  'POST /edge/management/v1/authenticators': 'identity',
  'GET /edge/management/v1/authenticators/:id': 'identity.read',
  'PUT /edge/management/v1/authenticators/:id': 'identity',
  'PATCH /edge/management/v1/authenticators/:id': 'identity',
  'DELETE /edge/management/v1/authenticators/:id': 'identity',
  'POST /edge/management/v1/authenticators/:id/request-extend': 'identity',
  'POST /edge/management/v1/identities/:id/request-extend': 'identity.update',

  'GET /edge/management/v1/revocations': 'revocation.read',
  'POST /edge/management/v1/revocations': 'revocation.create',
  'POST /edge/management/v1/what-if': 'identity.read',
  'GET /edge/management/v1/revocations/:id': 'revocation.read',

  'GET /edge/management/v1/api-sessions': 'ops.read',
  'GET /edge/management/v1/api-sessions/:id': 'ops.read',
  'DELETE /edge/management/v1/api-sessions/:id': 'ops.delete',
  'DELETE /edge/management/v1/identities/:id/api-sessions': 'ops.delete',
}

/** The responses to allowed callers that differ from `usualResponse`. Calls are made in the order of the routes. */
const RESPONSES: Readonly<Record<string, string>> = {
  'POST /edge/client/v1/enroll/updb': '400 INVALID_ENROLLMENT_TOKEN',
  'GET /oidc/logged-out': '200',
  'GET /oidc/oauth/token': '400',
  'GET /console/login/:signerId': '303',
  'GET /console/callback': '303',
  'GET /console/callback/:signerId': '303',
  'GET /edge/management/v1/events': '400 COULD_NOT_VALIDATE',
  'POST /edge/client/v1/authenticate/passkey-options': '409 PASSKEY_UNAVAILABLE',
  'POST /edge/client/v1/current-api-session/passkey-options': '409 PASSKEY_UNAVAILABLE',
  'POST /edge/client/v1/current-identity/passkey-options': '409 PASSKEY_UNAVAILABLE',
  'POST /edge/management/v1/authenticate/passkey-options': '409 PASSKEY_UNAVAILABLE',
  'POST /edge/management/v1/current-api-session/passkey-options': '409 PASSKEY_UNAVAILABLE',
  'POST /edge/management/v1/current-identity/passkey-options': '409 PASSKEY_UNAVAILABLE',
  'PATCH /edge/client/v1/current-identity/passkeys/:id': '400 COULD_NOT_VALIDATE',
  'PATCH /edge/management/v1/current-identity/passkeys/:id': '400 COULD_NOT_VALIDATE',
  'POST /edge/client/v1/current-identity/mfa': '201',
  'POST /edge/management/v1/current-identity/mfa': '409 MFA_EXISTS',
  'GET /edge/client/v1/current-identity/mfa/qr-code': '404 NOT_FOUND',
  'GET /edge/management/v1/current-identity/mfa/qr-code': '404 NOT_FOUND',
  'GET /edge/client/v1/current-identity/mfa/recovery-codes': '404 NOT_FOUND',
  'GET /edge/management/v1/current-identity/mfa/recovery-codes': '404 NOT_FOUND',
  'DELETE /edge/management/v1/current-identity/mfa': '404 NOT_FOUND',
  'PATCH /edge/client/v1/current-identity/authenticators/:id': '400 COULD_NOT_VALIDATE',
  'PATCH /edge/management/v1/current-identity/authenticators/:id': '400 COULD_NOT_VALIDATE',
  'PUT /edge/management/v1/authenticators/:id': '404 NOT_FOUND',
  'POST /edge/client/v1/ext-jwt-signers/:id/backchannel-logout': '400',
  'POST /edge/client/v1/ext-jwt-signers/:id/events': '400',
  'POST /edge/client/v1/external-jwt-signers/:id/backchannel-logout': '400',
  'POST /edge/client/v1/external-jwt-signers/:id/events': '400',
  'POST /auth/v1/token': '415',
  'POST /edge/client/v1/enroll': '400 INVALID_ENROLLMENT_TOKEN',
  'POST /edge/client/v1/enroll/token': '400 INVALID_ENROLLMENT_TOKEN',
  'POST /edge/client/v1/enroll/ott': '400 INVALID_ENROLLMENT_TOKEN',
  'POST /edge/client/v1/enroll/ottca': '400 INVALID_ENROLLMENT_TOKEN',
  'POST /edge/client/v1/enroll/ca': '400 ENROLLMENT_NO_VALID_CAS',
  'POST /edge/client/v1/enroll/erott': '400 INVALID_ENROLL_METHOD',
  'POST /edge/client/v1/enroll/extend/router': '400 INVALID_ENROLL_METHOD',
  'POST /edge/client/v1/enroll/challenge': '400 INVALID_ENROLL_METHOD',
  'POST /edge/management/v1/authenticators/:id/request-extend': '404 NOT_FOUND',
  'POST /edge/management/v1/ext-jwt-signers/:id/refresh-keys': '404 NOT_FOUND',
  'POST /edge/management/v1/ext-jwt-signers/:id/trust': '404 NOT_FOUND',
  'POST /edge/management/v1/ext-jwt-signers/:id/confirm-keys': '404 NOT_FOUND',
  'POST /edge/management/v1/ext-jwt-signers/:id/scim-tokens': '404 NOT_FOUND',
  'POST /edge/management/v1/external-jwt-signers/:id/refresh-keys': '404 NOT_FOUND',
  'POST /edge/management/v1/external-jwt-signers/:id/trust': '404 NOT_FOUND',
  'POST /edge/management/v1/external-jwt-signers/:id/confirm-keys': '404 NOT_FOUND',
  'POST /edge/management/v1/external-jwt-signers/:id/scim-tokens': '404 NOT_FOUND',
  'POST /edge/management/v1/cas/:id/verify': '404 NOT_FOUND',
  'POST /edge/management/v1/event-sinks/:id/test': '404 NOT_FOUND',
  'POST /edge/management/v1/cas/:id/trust': '404 NOT_FOUND',
  'POST /edge/management/v1/identities/:id/enable': '404 NOT_FOUND',
  'POST /edge/management/v1/identities/:id/request-extend': '404 NOT_FOUND',
}

/** Responses to a caller whose TOTP enrollment stays, since a partial session cannot delete it. */
const PARTIAL_RESPONSES: Readonly<Record<string, string>> = {
  // Another factor is missing too: only the first passkey may be added by a session that lacks nothing else.
  'POST /edge/client/v1/current-identity/passkey-options': '401 UNAUTHORIZED',
  'POST /edge/management/v1/current-identity/passkey-options': '401 UNAUTHORIZED',
  'GET /edge/client/v1/current-identity/mfa/qr-code': '200',
  'GET /edge/management/v1/current-identity/mfa/qr-code': '200',
}

/** The usual response to a call with an unknown id and an empty body. */
function usualResponse(method: string, path: string): string {
  // The OpenID provider has no issuer for the address of these calls.
  if (path.startsWith('/oidc/')) return '404'
  if (method === 'POST' || method === 'PUT') return '400 COULD_NOT_VALIDATE'
  return path.includes('/:') ? '404 NOT_FOUND' : '200'
}

const MISSING = 'error="missing" error_description="no matching token was provided"'
const NO_CREDENTIAL = `zt-session realm="zt-session" ${MISSING},Bearer realm="openziti-oidc" ${MISSING}`
const INVALID_SESSION = 'zt-session realm="zt-session" error="invalid" error_description="token is invalid"'

interface Caller {
  readonly name: string
  readonly holds: readonly Permission[] | 'everything' | 'no session' | 'a partial session'
  /** Undefined for a caller without a session. */
  readonly session: string | undefined
  /** The challenge for a caller without a valid session. */
  readonly challenge?: string
  /** Opens another session, for calls that end the current one. */
  logIn?(): Promise<string>
}

/** Permissions that no route requires. They are held together: one caller for each would take minutes. */
const UNUSED = PERMISSIONS.filter((permission) => {
  const used = new Set(Object.values(NEEDS).flatMap((needs) => [needs, needs.split('.')[0] ?? '']))
  return !(used.has(permission) || permission === 'admin_readonly')
})

async function makeCallers(app: TestApp): Promise<Caller[]> {
  const make = async (name: string, permissions: readonly Permission[]): Promise<Caller & { session: string }> => {
    const { username, password } = await createPassword(app, await createIdentity(app, { permissions }))
    const logIn = () => app.logIn(username, password)
    return { name, holds: permissions, session: await logIn(), logIn }
  }
  const expired = await make('expired session', [])
  const { id } = (await app.call('GET', OWN_SESSION, undefined, { session: expired.session })).json.data
  const now = app.clock.now()
  await app.store.run(extendSession, { id, expiresAt: now - 1 }, { actorId: 'system', now })
  const revoked = await make('revoked session', [])
  await app.call('DELETE', OWN_SESSION, undefined, { session: revoked.session })
  const partial = await makePartialAdministrator(app)
  const holders: Caller[] = []
  for (const permission of PERMISSIONS) {
    if (!UNUSED.includes(permission)) holders.push(await make(permission, [permission]))
  }
  holders.push(await make('permissions without a call', UNUSED))
  return [
    { name: 'anonymous', holds: 'no session', session: undefined, challenge: NO_CREDENTIAL },
    { name: expired.name, holds: 'no session', session: expired.session, challenge: INVALID_SESSION },
    { name: revoked.name, holds: 'no session', session: revoked.session, challenge: INVALID_SESSION },
    partial,
    await make('plain identity', []),
    ...holders,
    { name: 'admin', holds: 'everything', session: app.adminSession, logIn: () => app.logIn('admin', ADMIN_PASSWORD) },
  ]
}

/** Creates an administrator whose session lacks the second token that the policy requires. */
async function makePartialAdministrator(app: TestApp): Promise<Caller> {
  const { id: signerId, challenge } = await makeSecondSigner(app)
  const authPolicyId = await makeStrictPolicy(app, signerId)
  const { username, password } = await createPassword(app, await createIdentity(app, { isAdmin: true, authPolicyId }))
  const logIn = () => app.logIn(username, password)
  return {
    name: 'partial session',
    holds: 'a partial session',
    session: await logIn(),
    challenge: challenge('missing'),
    logIn,
  }
}

function mayCall({ holds }: Caller, needs: Needs): boolean {
  if (needs === 'nothing' || holds === 'everything') return true
  if (holds === 'no session') return false
  if (needs === 'partial session') return true
  if (holds === 'a partial session') return false
  if (needs === 'session') return true
  const [entity, action] = needs.split('.')
  return holds.some((held) => held === needs || held === entity || (held === 'admin_readonly' && action === 'read'))
}

/** Refusals at this interval are not delayed. */
const REFUSAL_INTERVAL_MS = 20

test('N-01 W-34 W-57 W-58 D28 every route responds to each kind of caller as the table says', async (t) => {
  const app = await buildApp(t)
  // The hosted API and SCIM have their own callers, and tests of them.
  const routes = app.controller.http.routes.filter((route) => !isHostedRoute(route) && route.access !== 'scim')
  const calls = routes.flatMap(({ method, paths }) => paths.map((path) => ({ method, path })))
  const served = calls.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(
    served.toSorted(),
    Object.keys(NEEDS).toSorted(),
    'NEEDS must list exactly the existing routes; a call for sessions without their second factor needs `partial session`',
  )

  for (const caller of await makeCallers(app)) {
    await t.test(caller.name, async () => {
      for (const { method, path } of calls) {
        const needs = NEEDS[`${method} ${path}`] ?? assert.fail()
        const endsSession = method === 'DELETE' && path.endsWith('/current-api-session')
        const session = (endsSession && (await caller.logIn?.())) || caller.session
        const body = method === 'GET' || method === 'DELETE' ? undefined : {}
        const options = session === undefined ? {} : { session }
        const reply = await app.call(method, examplePath(path), body, options)
        app.clock.advance(REFUSAL_INTERVAL_MS)
        const what = `${caller.name}: ${method} ${path}: ${reply.text.slice(0, 200)}`
        if (mayCall(caller, needs)) {
          const [status, code] = summarize(reply).split(' ')
          const own = caller.holds === 'a partial session' ? PARTIAL_RESPONSES : {}
          const call = `${method} ${path}`
          const expected = own[call] ?? RESPONSES[call] ?? usualResponse(method, path)
          assert.equal([status, code].filter(Boolean).join(' '), expected, what)
          assert.equal(reply.headers['www-authenticate'], status === '401' ? caller.challenge : undefined, what)
        } else {
          assert.equal(summarize(reply), '401 UNAUTHORIZED', what)
          assert.equal(reply.headers['www-authenticate'], caller.challenge, what)
        }
      }
    })
  }
})
