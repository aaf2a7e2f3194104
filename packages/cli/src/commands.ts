import type { Command, CommandRow } from './command.ts'

const signers = async () => (await import('./commands/resources/signers.ts')).signers
const policies = async () => (await import('./commands/resources/policies.ts')).policies
const identities = async () => (await import('./commands/resources/identities.ts')).identities
const sessions = async () => (await import('./commands/resources/sessions.ts')).sessions

const networks = async () => (await import('./commands/hosted/networks.ts')).networks
const accounts = async () => (await import('./commands/hosted/accounts.ts')).accounts

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
    'Write a copy of the data directory to a file, also while the controller runs',
    async () => (await import('./commands/backup.ts')).backup,
  ],
  ['restore', 'Make a data directory from a backup file', async () => (await import('./commands/restore.ts')).restore],
]

const SIGN_IN: Rows = [
  ['login', 'Sign in to a controller and remember it', async () => (await import('./commands/login.ts')).login],
  ['logout', 'End the session', async () => (await import('./commands/logout.ts')).logout],
  [
    'enroll',
    'Trade a token for a certificate, a password or token use',
    async () => (await import('./commands/enroll.ts')).enroll,
  ],
  ['trust', 'Print what makes this machine trust the CA', async () => (await import('./commands/trust.ts')).trust],
  ['doctor', 'Say what works and what does not', async () => (await import('./commands/doctor.ts')).doctor],
  ['whoami', 'Tell who is signed in, where and until when', async () => (await import('./commands/whoami.ts')).whoami],
]

const MANAGE: Rows = [
  ['explain', 'Say why a token is refused', async () => (await import('./commands/explain.ts')).explain],
  ['signers list', 'List the External JWT Signers', async () => (await signers()).list],
  ['signers show', 'Show a signer', async () => (await signers()).show],
  ['signers create', 'Trust the tokens of a provider', async () => (await signers()).create],
  ['signers update', 'Change members of a signer', async () => (await signers()).update],
  ['signers edit', 'Change a signer in an editor', async () => (await signers()).edit],
  ['signers enable', 'Take the tokens of a signer', async () => (await signers()).enable],
  ['signers disable', 'Take no token of a signer', async () => (await signers()).disable],
  ['signers delete', 'Delete a signer', async () => (await signers()).delete],
  ['signers refresh', 'Fetch the keys of a signer now', async () => (await signers()).refresh],
  ['signers discover', 'Read the members of a signer from its issuer', async () => (await signers()).discover],
  ['policies list', 'List the authentication policies', async () => (await policies()).list],
  ['policies show', 'Show a policy', async () => (await policies()).show],
  ['policies create', 'Make a policy', async () => (await policies()).create],
  ['policies update', 'Change members of a policy', async () => (await policies()).update],
  ['policies edit', 'Change a policy in an editor', async () => (await policies()).edit],
  ['policies delete', 'Delete a policy', async () => (await policies()).delete],
  ['identities list', 'List the identities', async () => (await identities()).list],
  ['identities show', 'Show an identity', async () => (await identities()).show],
  ['identities create', 'Make an identity, and a token to enroll with', async () => (await identities()).create],
  ['identities update', 'Change members of an identity', async () => (await identities()).update],
  ['identities edit', 'Change an identity in an editor', async () => (await identities()).edit],
  ['identities enable', 'Let an identity in again', async () => (await identities()).enable],
  ['identities disable', 'Keep an identity out and end its sessions', async () => (await identities()).disable],
  ['identities delete', 'Delete an identity', async () => (await identities()).delete],
  ['sessions list', 'List the sessions of everybody', async () => (await sessions()).list],
  ['sessions delete', 'End a session', async () => (await sessions()).delete],
  ['events tail', 'Follow what happens', async () => (await import('./commands/events-tail.ts')).eventsTail],
  [
    'export',
    'Write signers, policies and identities as YAML',
    async () => (await import('./commands/export.ts')).exportState,
  ],
  ['apply', 'Make everything as a file says', async () => (await import('./commands/apply.ts')).apply],
]

const HOSTED: Rows = [
  ['token', 'Print an access token of an API account', async () => (await import('./commands/hosted/token.ts')).token],
  ['networks list', 'List the networks of the organization', async () => (await networks()).list],
  ['networks get', 'Show a network', async () => (await networks()).get],
  ['accounts list', 'List the API accounts', async () => (await accounts()).list],
  ['accounts create', 'Make an API account and its credentials file', async () => (await accounts()).create],
  ['accounts rotate', 'Give an API account new credentials', async () => (await accounts()).rotate],
  ['accounts delete', 'Delete an API account', async () => (await accounts()).delete],
]

const HELP: Rows = [
  ['version', 'Print the version', async () => (await import('./commands/version.ts')).version],
  ['help', 'Explain a command', async () => (await import('./commands/help.ts')).createHelp(COMMANDS)],
]

const GROUPS: readonly (readonly [heading: string, rows: Rows])[] = [
  ['The controller on this machine', CONTROLLER],
  ['Signing in', SIGN_IN],
  ['Managing', MANAGE],
  ['The hosted API', HOSTED],
  ['Help', HELP],
]

/** Every command, in the order of help. */
export const COMMANDS: readonly CommandRow[] = GROUPS.flatMap(([group, rows]) =>
  rows.map(([name, summary, load]) => ({ name, summary, group, load })),
)
