import type { Migration } from './migration.ts'

/**
 * Adds further audiences to signers. The table holds every pair of issuer and audience that a signer accepts; its primary key gives each
 * pair to one signer.
 */
export const signerAudiences: Migration = {
  version: 2,
  name: 'signer-audiences',
  statements: ({ text }) => [
    `alter table ext_jwt_signers add column additional_audiences ${text} not null default '[]'`,
    `create table ext_jwt_signer_audiences (
      issuer ${text} not null,
      audience ${text} not null,
      signer_id ${text} not null references ext_jwt_signers (id) on delete cascade,
      primary key (issuer, audience)
    )`,
    `create index ext_jwt_signer_audiences_signer on ext_jwt_signer_audiences (signer_id)`,
    `insert into ext_jwt_signer_audiences (issuer, audience, signer_id) select issuer, audience, id from ext_jwt_signers`,
  ],
}
