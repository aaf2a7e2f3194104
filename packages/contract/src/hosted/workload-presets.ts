/** Conditions of a federated API account: claim to a value or to several. */
export type PresetConditions = Readonly<Record<string, string>>

/** What a federated account for the jobs of one platform needs. */
export interface WorkloadPreset {
  /** The name of a provider record for the platform. */
  readonly providerName: string
  /** The issuer of its tokens; undefined when each installation has its own. */
  readonly issuer: string | undefined
  readonly conditions: PresetConditions
  /** What the conditions leave open, to show to the administrator. */
  readonly warning: string | undefined
  /** The configuration of the job that requests a token for the audience. */
  snippet(audience: string): string
}

/** The platforms with a preset, in the order in which they are offered. */
export const WORKLOAD_PLATFORMS = ['github', 'gitlab', 'kubernetes'] as const
export type WorkloadPlatform = (typeof WORKLOAD_PLATFORMS)[number]

export interface WorkloadTarget {
  /** `owner/repository`, `group/project` or `namespace/serviceaccount`. */
  readonly target: string
  readonly environment?: string | undefined
  readonly branch?: string | undefined
}

interface Platform {
  /** The form of a target. */
  readonly form: string
  isTarget(target: string): boolean
  build(target: WorkloadTarget): WorkloadPreset
}

const GITHUB_ISSUER = 'https://token.actions.githubusercontent.com'
const GITLAB_ISSUER = 'https://gitlab.com'

const hasParts = (target: string, least: number, most: number): boolean => {
  const parts = target.split('/')
  return parts.length >= least && parts.length <= most && parts.every((part) => /^[\w.-]+$/.test(part))
}

const MAX_GITLAB_PARTS = 21

const PLATFORMS: Readonly<Record<WorkloadPlatform, Platform>> = {
  github: {
    form: 'owner/repository',
    isTarget: (target) => hasParts(target, 2, 2),
    build: ({ target, environment, branch }) => ({
      providerName: 'GitHub Actions',
      issuer: GITHUB_ISSUER,
      conditions: {
        repository: target,
        ...(environment && { environment }),
        ...(branch && { ref: `refs/heads/${branch}` }),
      },
      warning: openBranches({ target, environment, branch }),
      snippet: (audience) => githubSnippet(audience, environment),
    }),
  },
  gitlab: {
    form: 'group/project',
    isTarget: (target) => hasParts(target, 2, MAX_GITLAB_PARTS),
    build: ({ target, environment, branch }) => ({
      providerName: 'GitLab',
      issuer: GITLAB_ISSUER,
      conditions: {
        project_path: target,
        ...(environment && { environment }),
        ...(branch && { ref_type: 'branch', ref: branch }),
      },
      warning: openBranches({ target, environment, branch }),
      snippet: gitlabSnippet,
    }),
  },
  kubernetes: {
    form: 'namespace/serviceaccount',
    isTarget: (target) => hasParts(target, 2, 2),
    build: ({ target }) => ({
      providerName: 'Kubernetes',
      issuer: undefined,
      conditions: { sub: `system:serviceaccount:${target.replace('/', ':')}` },
      warning: undefined,
      snippet: kubernetesSnippet,
    }),
  },
}

/** The preset for a target. Undefined when the target does not have the form of the platform. */
export function findWorkloadPreset(platform: WorkloadPlatform, target: WorkloadTarget): WorkloadPreset | undefined {
  const { isTarget, build } = PLATFORMS[platform]
  return isTarget(target.target) ? build(target) : undefined
}

/** The form of a target: `owner/repository`. */
export function workloadTargetForm(platform: WorkloadPlatform): string {
  return PLATFORMS[platform].form
}

function openBranches({ target, environment, branch }: WorkloadTarget): string | undefined {
  if (environment || branch) return undefined
  return `jobs of every branch of ${target} can act as this account: name an environment or a branch`
}

function githubSnippet(audience: string, environment: string | undefined): string {
  return `permissions:
  id-token: write
jobs:
  deploy:
    runs-on: ubuntu-latest
${environment ? `    environment: ${environment}\n` : ''}    steps:
      - run: |
          token=$(curl -sH "authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
            "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${audience}" | jq -r .value)
          echo "::add-mask::$token"
          echo "COUNTERSIGN_API_TOKEN=$token" >> "$GITHUB_ENV"
`
}

function gitlabSnippet(audience: string): string {
  return `deploy:
  id_tokens:
    COUNTERSIGN_API_TOKEN:
      aud: ${audience}
  script:
    - countersign whoami
`
}

function kubernetesSnippet(audience: string): string {
  return `volumes:
  - name: countersign
    projected:
      sources:
        - serviceAccountToken:
            path: token
            audience: ${audience}
            expirationSeconds: 3600
`
}

const SERVICE_ACCOUNT = 'system:serviceaccount:'

/** The configuration of the job for the conditions of an account; undefined when they are of no known platform. */
export function findWorkloadSnippet(
  conditions: Readonly<Record<string, unknown>>,
  audience: string,
): string | undefined {
  const { repository, project_path, environment, sub } = conditions
  if (repository !== undefined)
    return githubSnippet(audience, typeof environment === 'string' ? environment : undefined)
  if (project_path !== undefined) return gitlabSnippet(audience)
  return typeof sub === 'string' && sub.startsWith(SERVICE_ACCOUNT) ? kubernetesSnippet(audience) : undefined
}
