import type { Migration } from './migration.ts'

/** Adds rules to signers and policies. Sessions keep the claims that the rule of their policy read, which each request is judged by. */
export const rules: Migration = {
  version: 26,
  name: 'rules',
  statements: ({ text }) => [
    `alter table ext_jwt_signers add column accept_rule ${text}`,
    `alter table ext_jwt_signers add column attribute_rules ${text} not null default '[]'`,
    `alter table auth_policies add column accept_rule ${text}`,
    `alter table api_sessions add column rule_claims ${text}`,
  ],
}
