/** Statements that insert an identity with a password, a session and its certificate, and a signer. */
export function sampleRows({ yes, no }: { readonly yes: string; readonly no: string }): string[] {
  return [
    `insert into auth_policies values ('default', 'Default', ${yes}, ${no}, ${yes}, ${yes}, 5, ${no}, ${no}, ${no}, 0, 0,
      ${yes}, null, ${no}, '{}', 1, 1)`,
    `insert into identities (id, name, external_id, type_id, is_admin, is_default_admin, auth_policy_id, permissions, app_data,
      hosting, env_info, sdk_info, tags, created_at, updated_at) values ('old', 'old', 'old@example', 'Default', ${no}, ${no},
      'default', '[]', '{}', '{}', '{}', '{}', '{}', 1, 1)`,
    `insert into identity_attributes values ('old', 'sales')`,
    `insert into ext_jwt_signers (id, name, enabled, issuer, audience, jwks_endpoint, claims_property, use_external_id,
      target_token, enroll_to_cert_enabled, enroll_to_token_enabled, enroll_name_claims_selector, clock_skew_seconds,
      required_claims, written_by_admin, revision, tags, created_at, updated_at) values ('signer', 'signer', ${yes},
      'https://old.example', 'old', 'https://old.example/keys', 'sub', ${yes}, 'ACCESS', ${no}, ${no}, 'sub', 60,
      '{"/hd":["example"]}', ${yes}, 1, '{}', 1, 1)`,
    `insert into authenticators (id, identity_id, method, username, password_digest, tags, created_at, updated_at) values
      ('password', 'old', 'updb', 'old', 'digest', '{}', 1, 1)`,
    `insert into api_sessions (id, token_digest, identity_id, authenticator_id, ip_address, config_types, last_activity_at,
      expires_at, ends_at, tags, created_at, updated_at) values ('session', 'digest', 'old', 'password', '192.0.2.1', '[]', 1,
      9000000000000, 9000000000000, '{}', 1, 1)`,
    // Where sessions are counted, the writer increments the count.
    `update row_counts set total = total + 1 where table_name = 'api_sessions'`,
    `insert into api_session_certificates (id, api_session_id, subject, fingerprint, cert_pem, not_before, not_after, tags,
      created_at, updated_at) values ('certificate', 'session', '', '', '', 1, 2, '{}', 1, 1)`,
  ]
}
