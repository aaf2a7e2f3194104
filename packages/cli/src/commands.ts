import type { Command, CommandRow } from './command.ts'

const signers = async () => (await import('./commands/resources/signers.ts')).signers
const scimTokens = async () => (await import('./commands/resources/scim-tokens.ts')).scimTokens
const policies = async () => (await import('./commands/resources/policies.ts')).policies
const cas = async () => (await import('./commands/resources/cas.ts')).cas
const identities = async () => (await import('./commands/resources/identities.ts')).identities
const enrollments = async () => (await import('./commands/resources/enrollments.ts')).enrollments
const authenticators = async () => (await import('./commands/resources/authenticators.ts')).authenticators
const passkeys = async () => (await import('./commands/resources/passkeys.ts')).passkeys
const decisions = async () => (await import('./commands/resources/decisions.ts')).decisions
const sinks = async () => (await import('./commands/resources/sinks.ts')).sinks
const sessions = async () => (await import('./commands/resources/sessions.ts')).sessions

const networks = async () => (await import('./commands/hosted/networks.ts')).networks
const accounts = async () => (await import('./commands/hosted/accounts.ts')).accounts
const organizations = async () => (await import('./commands/hosted/organizations.ts')).organizations
const auditEvents = async () => (await import('./commands/hosted/audit-events.ts')).auditEvents
const roles = async () => (await import('./commands/hosted/roles.ts')).roles
const accountJobs = async () => (await import('./commands/hosted/account-jobs.ts')).accountJobs
const providers = async () => (await import('./commands/hosted/providers.ts')).providers

type Rows = readonly (readonly [name: string, summary: string, load: () => Promise<Command>])[]

const CONTROLLER: Rows = [
  ['up', 'Start a controller', async () => (await import('./commands/up.ts')).up],
  [
    'config show',
    'Print the effective settings and where each came from',
    async () => (await import('./commands/config-show.ts')).configShow,
  ],
  [
    'backup',
    'Back up the data directory to a file; the controller can keep running',
    async () => (await import('./commands/backup.ts')).backup,
  ],
  [
    'restore',
    'Restore a data directory from a backup file',
    async () => (await import('./commands/restore.ts')).restore,
  ],
  [
    'recover-admin',
    'Give the first administrator a new password, on the files of the controller',
    async () => (await import('./commands/recover-admin.ts')).recoverAdmin,
  ],
]

const LOGIN: Rows = [
  ['login', 'Log in to a controller and remember it', async () => (await import('./commands/login.ts')).login],
  ['logout', 'End the session', async () => (await import('./commands/logout.ts')).logout],
  [
    'enroll',
    'Enroll with a token: get a certificate, set a password, or enable token login',
    async () => (await import('./commands/enroll.ts')).enroll,
  ],
  ['renew', 'Renew a certificate of enroll', async () => (await import('./commands/renew.ts')).renew],
  ['trust', 'Print how to make this machine trust the CA', async () => (await import('./commands/trust.ts')).trust],
  [
    'doctor',
    'Check connection, certificate, providers, session and signers',
    async () => (await import('./commands/doctor.ts')).doctor,
  ],
  ['whoami', 'Show who is logged in, where and until when', async () => (await import('./commands/whoami.ts')).whoami],
]

const MANAGE: Rows = [
  ['explain', 'Explain why a token is refused', async () => (await import('./commands/explain.ts')).explain],
  [
    'what-if',
    'Predict the effect of changes on logins and sessions',
    async () => (await import('./commands/what-if.ts')).whatIf,
  ],
  ['test', 'Run test cases of signers, without a controller', async () => (await import('./commands/test.ts')).test],
  ['signers list', 'List the External JWT Signers', async () => (await signers()).list],
  ['signers show', 'Show a signer', async () => (await signers()).show],
  ['signers create', 'Trust the tokens of a provider', async () => (await signers()).create],
  ['signers update', 'Update members of a signer', async () => (await signers()).update],
  ['signers edit', 'Edit a signer in an editor', async () => (await signers()).edit],
  ['signers enable', 'Accept the tokens of a signer', async () => (await signers()).enable],
  ['signers disable', 'Refuse the tokens of a signer', async () => (await signers()).disable],
  ['signers trust', 'Let an untrusted signer log in administrators', async () => (await signers()).trust],
  ['signers delete', 'Delete a signer', async () => (await signers()).delete],
  ['signers refresh', 'Fetch the keys of a signer now', async () => (await signers()).refresh],
  ['signers push-keys', 'Fetch the keys of a provider here and push them', async () => (await signers()).pushKeys],
  ['signers confirm-keys', 'Use keys that share none with the earlier', async () => (await signers()).confirmKeys],
  ['signers discover', 'Read the members of a signer from its issuer', async () => (await signers()).discover],
  ['scim-tokens list', 'List the SCIM tokens of a signer', async () => (await scimTokens()).list],
  ['scim-tokens create', 'Let the provider of a signer manage users by SCIM', async () => (await scimTokens()).create],
  ['scim-tokens delete', 'Delete a SCIM token', async () => (await scimTokens()).delete],
  ['policies list', 'List the authentication policies', async () => (await policies()).list],
  ['policies show', 'Show a policy', async () => (await policies()).show],
  ['policies create', 'Create a policy', async () => (await policies()).create],
  ['policies update', 'Update members of a policy', async () => (await policies()).update],
  ['policies edit', 'Edit a policy in an editor', async () => (await policies()).edit],
  ['policies delete', 'Delete a policy', async () => (await policies()).delete],
  ['cas list', 'List the third-party CAs', async () => (await cas()).list],
  ['cas show', 'Show a CA', async () => (await cas()).show],
  ['cas create', 'Register a third-party CA', async () => (await cas()).create],
  ['cas update', 'Update members of a CA', async () => (await cas()).update],
  ['cas edit', 'Edit a CA in an editor', async () => (await cas()).edit],
  ['cas verify', 'Prove the possession of the private key of a CA', async () => (await cas()).verify],
  ['cas trust', 'Let an untrusted CA log in administrators', async () => (await cas()).trust],
  ['cas jwt', 'Print the JWT with which clients of a CA enroll', async () => (await cas()).jwt],
  ['cas delete', 'Delete a CA', async () => (await cas()).delete],
  ['identities list', 'List the identities', async () => (await identities()).list],
  ['identities show', 'Show an identity', async () => (await identities()).show],
  [
    'identities create',
    'Create an identity, optionally with a one-time enrollment token',
    async () => (await identities()).create,
  ],
  ['identities update', 'Update members of an identity', async () => (await identities()).update],
  ['identities edit', 'Edit an identity in an editor', async () => (await identities()).edit],
  ['identities enable', 'Enable an identity', async () => (await identities()).enable],
  ['identities disable', 'Disable an identity and end its sessions', async () => (await identities()).disable],
  [
    'identities reset-codes',
    'Remove one-time codes, so that the identity sets up new ones',
    async () => (await identities()).resetCodes,
  ],
  ['identities end-sessions', 'End all sessions of an identity', async () => (await identities()).endSessions],
  ['identities delete', 'Delete an identity', async () => (await identities()).delete],
  ['enrollments list', 'List the one-time tokens that are not used yet', async () => (await enrollments()).list],
  ['enrollments show', 'Show an enrollment, without its token', async () => (await enrollments()).show],
  ['enrollments renew', 'Replace the one-time token of an enrollment', async () => (await enrollments()).renew],
  ['enrollments revoke', 'Delete an enrollment and its one-time token', async () => (await enrollments()).revoke],
  [
    'authenticators list',
    'List the passwords and certificates of identities',
    async () => (await authenticators()).list,
  ],
  ['authenticators show', 'Show a password login or a certificate', async () => (await authenticators()).show],
  ['authenticators reset', 'Replace a credential by a one-time token', async () => (await authenticators()).reset],
  ['authenticators revoke', 'Delete a password or certificate', async () => (await authenticators()).revoke],
  ['passkeys list', 'List the passkeys of an identity', async () => (await passkeys()).list],
  ['passkeys revoke', 'Delete the passkey of a lost device', async () => (await passkeys()).revoke],
  ['decisions list', 'List the refused logins of the last 24 hours', async () => (await decisions()).list],
  ['decisions show', 'Show why a login was refused', async () => (await decisions()).show],
  ['decisions add-test-case', 'Make a test case of a refused login', async () => (await decisions()).testCase],
  ['sessions list', 'List the API sessions of all identities', async () => (await sessions()).list],
  ['sessions show', 'Show an API session', async () => (await sessions()).show],
  ['sessions delete', 'End an API session', async () => (await sessions()).delete],
  ['sinks list', 'List the receivers of events', async () => (await sinks()).list],
  ['sinks show', 'Show a sink and how far its deliveries are', async () => (await sinks()).show],
  ['sinks create', 'Send events to a webhook, a collector or a file', async () => (await sinks()).create],
  ['sinks update', 'Update members of a sink', async () => (await sinks()).update],
  ['sinks edit', 'Edit a sink in an editor', async () => (await sinks()).edit],
  ['sinks test', 'Send a test event to a sink', async () => (await sinks()).test],
  ['sinks replay', 'Deliver events to a sink again', async () => (await sinks()).replay],
  ['sinks delete', 'Delete a sink', async () => (await sinks()).delete],
  [
    'audit list',
    'List changes and decisions',
    async () => (await import('./commands/resources/audit-list.ts')).auditList,
  ],
  [
    'audit export',
    'Export the audit record to a file',
    async () => (await import('./commands/audit/audit-export.ts')).auditExport,
  ],
  [
    'audit verify',
    'Check an export of the audit record, offline',
    async () => (await import('./commands/audit/audit-verify.ts')).auditVerify,
  ],
  ['events tail', 'Follow events as they happen', async () => (await import('./commands/events-tail.ts')).eventsTail],
  ['api', 'Call any path of the APIs', async () => (await import('./commands/api.ts')).api],
  [
    'export',
    'Export the configuration as YAML: signers, policies, identities and the rest',
    async () => (await import('./commands/export.ts')).exportState,
  ],
  [
    'apply',
    'Create, update and delete what a file of export describes',
    async () => (await import('./commands/apply.ts')).apply,
  ],
]

const HOSTED: Rows = [
  ['token', 'Print an access token of an API account', async () => (await import('./commands/hosted/token.ts')).token],
  ['networks list', 'List the networks of the organization', async () => (await networks()).list],
  ['networks show', 'Show a network', async () => (await networks()).show],
  ['networks create', 'Add a network', async () => (await networks()).create],
  ['networks update', 'Update members of a network', async () => (await networks()).update],
  ['networks delete', 'Remove a network from the list', async () => (await networks()).delete],
  ['accounts list', 'List the API accounts', async () => (await accounts()).list],
  ['accounts show', 'Show an API account', async () => (await accounts()).show],
  ['accounts create', 'Create an API account and write its credentials file', async () => (await accounts()).create],
  [
    'accounts audience',
    'Print the audience for tokens of accounts without secrets',
    async () => (await accounts()).audience,
  ],
  ['accounts update', 'Update members of an API account', async () => (await accounts()).update],
  ['accounts enable', 'Accept the tokens of an API account again', async () => (await accounts()).enable],
  ['accounts disable', 'Refuse the tokens of an API account', async () => (await accounts()).disable],
  ['accounts rotate', 'Rotate the credentials of an API account', async () => (await accounts()).rotate],
  ['accounts pick-up', 'Get the credentials of a planned rotation', async () => (await accounts()).pickUp],
  ['accounts delete', 'Delete an API account', async () => (await accounts()).delete],
  ['audit-events list', 'List what happened in the organization', async () => (await auditEvents()).list],
  ['organizations list', 'List the organizations of the controller', async () => (await organizations()).list],
  ['organizations show', 'Show an organization, its usage and quotas', async () => (await organizations()).show],
  ['organizations suspend', 'Refuse the tokens of an organization', async () => (await organizations()).suspend],
  ['organizations resume', 'Accept the tokens of an organization again', async () => (await organizations()).resume],
  ['organizations quotas', 'Show or set the quotas of an organization', async () => (await organizations()).quotas],
  ['roles list', 'List the roles of API accounts and what they permit', async () => (await roles()).list],
  ['roles show', 'Show a role', async () => (await roles()).show],
  ['account-jobs list', 'List work at identity providers that is not done', async () => (await accountJobs()).list],
  ['account-jobs repeat', 'Repeat a job, or do what is left of it', async () => (await accountJobs()).repeat],
  ['account-jobs dismiss', 'Forget a job', async () => (await accountJobs()).dismiss],
  ['providers list', 'List the identity providers', async () => (await providers()).list],
  ['providers show', 'Show an identity provider', async () => (await providers()).show],
  ['providers create', 'Trust the tokens of an identity provider', async () => (await providers()).create],
  ['providers update', 'Update members of an identity provider', async () => (await providers()).update],
  ['providers test', 'Test the administration of an identity provider', async () => (await providers()).test],
  ['providers delete', 'Delete an identity provider', async () => (await providers()).delete],
]

const HELP: Rows = [
  ['version', 'Print the version', async () => (await import('./commands/version.ts')).version],
  [
    'completion',
    'Print a completion script for bash, zsh or fish',
    async () => (await import('./commands/completion.ts')).completion,
  ],
  ['help', 'Explain a command', async () => (await import('./commands/help.ts')).createHelp(COMMANDS)],
]

const GROUPS: readonly (readonly [heading: string, rows: Rows])[] = [
  ['The controller on this machine', CONTROLLER],
  ['Login', LOGIN],
  ['Managing', MANAGE],
  ['The hosted API', HOSTED],
  ['Help', HELP],
]

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = GROUPS.flatMap(([group, rows]) =>
  rows.map(([name, summary, load]) => ({ name, summary, group, load })),
)
