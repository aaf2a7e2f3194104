/** An error of the APIs: HTTP status, constant public message, and whether the same call may succeed later. Codes are never renamed or reused. */
interface ErrorSpec {
  readonly status: number
  readonly message: string
  readonly retryable: boolean
}

const spec = (status: number, message: string, retryable = false): ErrorSpec => ({ status, message, retryable })

const INVALID_DOCUMENT =
  'The supplied request contains an invalid document or no valid accept content were available, see cause'

export const ERRORS = {
  NOT_FOUND: spec(404, 'The resource requested was not found or is no longer available'),
  METHOD_NOT_ALLOWED: spec(405, 'The resource requested does not support this HTTP verb'),
  UNAUTHORIZED: spec(
    401,
    'The request could not be completed. The session is not authorized or the credentials are invalid',
  ),
  FORBIDDEN: spec(403, 'The caller is authenticated, but not allowed to do this'),
  INVALID_AUTH: spec(401, 'The authentication request failed'),
  COULD_NOT_VALIDATE: spec(400, INVALID_DOCUMENT),
  NOT_ACCEPTABLE: spec(406, INVALID_DOCUMENT),
  UNSUPPORTED_CONTENT_TYPE: spec(415, INVALID_DOCUMENT),
  COULD_NOT_PARSE_BODY: spec(400, 'The body of the request could not be parsed'),
  COULD_NOT_READ_BODY: spec(400, 'The body of the request could not be read'),
  REQUEST_ENTITY_TOO_LARGE: spec(413, 'The request body exceeds the maximum accepted size'),
  REQUEST_HEADERS_TOO_LARGE: spec(431, 'The request headers exceed the maximum accepted size or number'),
  BAD_REQUEST: spec(400, 'The request is not valid HTTP'),
  REQUEST_TIMEOUT: spec(408, 'The request was not received in time', true),
  INVALID_FIELD: spec(400, 'The field contains an invalid value'),
  INVALID_FILTER: spec(400, 'The filter query supplied is invalid'),
  INVALID_SORT_IDENTIFIER: spec(400, 'The sort order supplied is invalid'),
  INVALID_PAGINATION: spec(400, 'The pagination properties provided are invalid'),
  INVALID_CERT_PEM: spec(
    400,
    'the supplied certificate PEM is either invalid or contains the incorrect number of certificates',
  ),
  COULD_NOT_PROCESS_CSR: spec(400, 'The supplied csr could not be processed'),
  CA_UNAVAILABLE: spec(503, 'No certificate can be issued at the moment: the certificate authority cannot sign', true),
  INVALID_AUTH_METHOD: spec(400, 'The supplied authentication method is invalid'),
  CAN_NOT_DELETE_REFERENCED_ENTITY: spec(
    409,
    'the entity cannot be deleted because it is referenced by another entity, see cause',
  ),
  ENTITY_CAN_NOT_BE_DELETED: spec(400, 'The entity requested for delete can not be deleted'),
  ENTITY_CAN_NOT_BE_UPDATED: spec(400, 'The entity requested for update can not be updated'),
  MAX_AUTHENTICATOR_METHODS_REACHED: spec(409, 'The identity already has an authenticator of this method'),
  CAN_NOT_UPDATE_AUTHENTICATOR: spec(409, 'The authenticator can not be updated in this way'),
  INVALID_CLIENT_CERT: spec(400, 'The client certificate is not the expected one'),
  CERT_IN_USE: spec(409, 'The certificate supplied is already associated with another identity'),
  INVALID_AUTHENTICATOR_PROPERTIES: spec(400, 'The properties are not valid for an authenticator of this method'),
  MISSING_OR_INVALID_CSR: spec(400, 'The csr is missing or is not text'),
  INVALID_ENROLLMENT_TOKEN: spec(400, 'The supplied token is not valid'),
  INVALID_EVENT_TOKEN: spec(400, 'The logout or security event token is not valid'),
  INVALID_ENROLLMENT_NOT_ALLOWED: spec(409, 'The configuration does not allow this enrollment'),
  ENROLLMENT_IDENTITY_ALREADY_ENROLLED: spec(
    409,
    'The token supplied for this enrollment already has a matching identity, cannot enroll a new identity',
  ),
  NOT_UNIQUE: spec(409, 'Another resource has the value'),
  SCIM_TOKEN_LIMIT: spec(409, 'The signer already has two SCIM tokens: delete one before making another'),
  PRECONDITION_FAILED: spec(412, 'The version of the resource does not match If-Match'),
  PRECONDITION_REQUIRED: spec(428, 'The call needs If-Match with the version of the resource'),
  PUSHED_KEYS_NOT_TAKEN: spec(409, 'The signer takes no pushed keys: set pushedKeys first'),
  NO_PENDING_KEYS: spec(409, 'No such keys wait for a confirmation'),
  PASSKEY_INVALID: spec(400, 'The response of the passkey is not valid'),
  PASSKEY_EXISTS: spec(409, 'The passkey is already registered'),
  PASSKEY_LIMIT_REACHED: spec(409, 'The identity has as many passkeys as are allowed'),
  PASSKEY_UNAVAILABLE: spec(409, 'Passkeys can not be used under the address of this request, see cause'),
  FRESH_LOGIN_REQUIRED: spec(403, 'The login is too old for this change: log in again'),
  TRUSTED_LOGIN_REQUIRED: spec(403, 'A login by an untrusted signer or CA can not make this change'),
  MFA_EXISTS: spec(409, 'One-time codes are already set up for the identity'),
  MFA_NOT_ENROLLED: spec(409, 'One-time codes are not set up for the identity'),
  MFA_INVALID_TOKEN: spec(400, 'The one-time code or recovery code is not valid'),
  INVALID_TOTP_CODE: spec(400, 'The one-time code or recovery code is not valid for this login'),
  UNSUPPORTED_MEDIA_TYPE: spec(415, 'The body must be JSON or a form, with its Content-Type'),
  INVALID_BACKING_TOKEN_TYPE: spec(400, 'The call requires another kind of session'),
  CA_ALREADY_VERIFIED: spec(409, 'CA has already been verified'),
  EXPECTED_PEM_CERTIFICATE: spec(400, 'The PEM block is not a certificate'),
  COULD_NOT_PARSE_DER_BLOCK: spec(400, 'The certificate could not be parsed'),
  INVALID_COMMON_NAME: spec(400, 'The common name of the supplied certificate is invalid'),
  CERTIFICATE_FAILED_VALIDATION: spec(
    400,
    "The supplied certificate failed to validate against the CA's certificate chain",
  ),
  CERT_FAILED_VALIDATION: spec(400, 'certificate failed to validate against CA'),
  ENROLLMENT_NO_VALID_CAS: spec(400, 'No CA is registered that certificates can enroll with'),
  ENROLLMENT_CA_NOT_VALID: spec(400, 'The CA of this enrollment does not allow it'),
  MISSING_CERT_CLAIM: spec(400, 'The certificate does not have the claim that the CA requires'),
  ENROLLMENT_EXPIRED: spec(400, 'The window for this enrollment has expired'),
  INVALID_ENROLL_METHOD: spec(400, 'The supplied enrollment method is invalid'),
  ENROLLMENT_EXISTS: spec(409, 'The identity already has an enrollment of this method outstanding'),
  UNSUPPORTED_MEDIA: spec(406, 'No suitable accept media types were detected, supports: application/json'),
  LAST_ADMINISTRATOR: spec(409, 'The change would leave no administrator who can log in'),
  WOULD_LOCK_OUT: spec(409, 'After the change no enabled administrator could log in, see cause'),
  TEST_CASE_FAILED: spec(409, 'The signer does not pass its test cases, see cause'),
  SERVER_TOO_MANY_REQUESTS: spec(429, 'Too many requests, try again later', true),
  NOT_IMPLEMENTED: spec(501, 'The server does not support this request'),
  PROVIDER_FAILED: spec(502, 'The request to the identity provider failed, see the error'),
  NOT_THIS_CONTROLLER: spec(409, 'The network has its own controller, on which this one cannot open a session'),
  TIMEOUT: spec(503, 'The request took too long', true),
  STORE_UNAVAILABLE: spec(503, 'The data store is not available, try again later', true),
  SEALING_KEY_MISMATCH: spec(503, 'This node does not have the key that protects the requested data', true),
  UNHANDLED: spec(500, 'An unhandled error occurred'),
} as const satisfies Record<string, ErrorSpec>

export type ErrorCode = keyof typeof ERRORS

/** Codes whose name on the wire differs: it is that of existing controllers. */
const WIRE_NAMES: Partial<Record<ErrorCode, string>> = {
  NOT_ACCEPTABLE: 'COULD_NOT_VALIDATE',
  UNSUPPORTED_CONTENT_TYPE: 'COULD_NOT_VALIDATE',
  INVALID_TOTP_CODE: 'INVALID TOTP CODE',
}

export function wireNameOf(code: ErrorCode): string {
  return WIRE_NAMES[code] ?? code
}
