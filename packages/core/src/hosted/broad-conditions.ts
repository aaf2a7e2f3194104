import { literalPrefix } from '../claim/glob.ts'
import type { AcceptedValues, RequiredClaim } from '../claim/required-claims.ts'
import { selectorPointer } from '../claim/selector.ts'

/**
 * Whether a condition names one owner. `text` is an accepted value, or the text before the first wildcard of a pattern: then `isWhole` is false, and
 * the owner may go on after it.
 */
type NamesOwner = (text: string, isWhole: boolean) => boolean

/** Others at the issuer have the same values. */
const never: NamesOwner = () => false
/** A pattern could match the name of another owner: `acme*` matches `acme-evil`, which anyone can register. */
const whole: NamesOwner = (_, isWhole) => isWhole
/** `owner/name`: the owner must be complete. */
const path: NamesOwner = (text, isWhole) => isWhole || text.indexOf('/') > 0

const hasWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/**
 * The subjects of known issuers, by how they begin. Owners of repositories can change which claims are in the subjects of their own GitHub tokens, but not
 * the values.
 */
const SUBJECTS: readonly [prefix: string, namesOwner: NamesOwner][] = [
  ['repo:', path],
  ['repository:', path],
  ['workflow_ref:', path],
  ['repository_owner:', (text, isWhole) => isWhole || text.includes(':')],
  ['repository_owner_id:', (text, isWhole) => isWhole || text.includes(':')],
  ['repository_id:', (text, isWhole) => isWhole || text.includes(':')],
  ['project_path:', path],
  // The namespace must be complete.
  ['system:serviceaccount:', (text, isWhole) => isWhole || text.indexOf(':') > 0],
  ...['environment:', 'ref:', 'job_workflow_ref:', 'actor:', 'workflow:', 'event_name:'].map(
    (prefix): [string, NamesOwner] => [prefix, never],
  ),
]

function namesSubject(text: string, isWhole: boolean): boolean {
  const known = SUBJECTS.find(([prefix]) => text.startsWith(prefix) || (!isWhole && prefix.startsWith(text)))
  if (!known) return hasWord(text)
  const [prefix, namesOwner] = known
  const rest = text.slice(prefix.length)
  return rest !== '' && namesOwner(rest, isWhole)
}

/** Claims that say what a job does, or who started it, and not whose job it is. */
const OTHERS_HAVE_IT = [
  ...['iss', 'aud', 'exp', 'iat', 'nbf', 'jti', 'typ', 'scope', 'scp', 'nonce', 'auth_time', 'ver', 'token_use'],
  // GitHub Actions. Anyone can call a reusable workflow of a public repository, which `job_workflow_ref` names.
  ...['ref', 'ref_type', 'ref_protected', 'head_ref', 'base_ref', 'sha', 'environment', 'environment_node_id'],
  ...['event_name', 'workflow', 'workflow_sha', 'job_workflow_ref', 'job_workflow_sha', 'actor', 'actor_id'],
  ...['runner_environment', 'repository_visibility', 'run_id', 'run_number', 'run_attempt', 'check_run_id'],
  // GitLab.
  ...[
    'ref_path',
    'pipeline_source',
    'pipeline_id',
    'job_id',
    'user_id',
    'user_login',
    'user_email',
    'user_access_level',
  ],
  ...['environment_protected', 'environment_action', 'deployment_tier', 'project_visibility', 'runner_id'],
  ...['ci_config_ref_uri', 'ci_config_sha', 'job_source', 'groups_direct', 'user_identities'],
  // Google, Entra.
  ...['email_verified', 'hd', 'idtyp', 'acr', 'amr', 'appidacr', 'azpacr'],
]

const SHARED_CLAIMS: ReadonlySet<string> = new Set(OTHERS_HAVE_IT)

/** Whether a claim of a root-level name says nothing about whose job or account a token is of. */
export function isSharedClaim(name: string): boolean {
  return SHARED_CLAIMS.has(name)
}

/** By the JSON pointer of the claim. Any other claim names an owner unless its pattern has no word before the first wildcard. */
const CLAIMS: ReadonlyMap<string, NamesOwner> = new Map([
  ...OTHERS_HAVE_IT.map((name): [string, NamesOwner] => [`/${name}`, never]),
  ['/sub', namesSubject],
  ['/repository', path],
  ['/workflow_ref', path],
  ['/project_path', path],
  ['/namespace_path', path],
  ...['repository_owner', 'repository_owner_id', 'repository_id', 'project_id', 'namespace_id', 'enterprise'].map(
    (name): [string, NamesOwner] => [`/${name}`, whole],
  ),
  // Kubernetes: each namespace can have a service account or a pod of this name.
  ['/kubernetes.io/serviceaccount/name', never],
  ['/kubernetes.io/pod/name', never],
  ['/kubernetes.io/node/name', never],
])

const anyOther: NamesOwner = hasWord

/**
 * Whether conditions are met by any repository, project, namespace or workload at the issuer: none of them names an owner. Of several values each must
 * name one.
 */
export function isBroad(conditions: readonly RequiredClaim[]): boolean {
  return !conditions.some(({ selector, accepted }) => {
    // An element of a list says no more than the list.
    const claim = selectorPointer(selector.text).replace(/(?<=.)\/\d+$/, '')
    const namesOwner = CLAIMS.get(claim) ?? anyOther
    return ownersIn(accepted).every(([text, isWhole]) => namesOwner(text, isWhole))
  })
}

function ownersIn(accepted: AcceptedValues): [text: string, isWhole: boolean][] {
  if (!('glob' in accepted)) return accepted.anyOf.map((value) => [value, true])
  const prefix = literalPrefix(accepted.glob)
  return [[prefix, prefix === accepted.glob]]
}
