/** The conditions that a preset writes: claim to value. */
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
  /** The configuration of a job that calls the hosted API at `hostedUrl` with a token for the audience. */
  snippet(audience: string, hostedUrl: string): string
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
const SERVICE_ACCOUNT = 'system:serviceaccount:'

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
      snippet: (audience, hostedUrl) => githubSnippet({ audience, hostedUrl, environment }),
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
      snippet: (audience, hostedUrl) => gitlabSnippet({ audience, hostedUrl, environment }),
    }),
  },
  kubernetes: {
    form: 'namespace/serviceaccount',
    isTarget: (target) => hasParts(target, 2, 2),
    build: ({ target }) => ({
      providerName: 'Kubernetes',
      issuer: undefined,
      conditions: { sub: `${SERVICE_ACCOUNT}${target.replace('/', ':')}` },
      warning: undefined,
      snippet: (audience, hostedUrl) => kubernetesSnippet({ audience, hostedUrl }, target.split('/')[1] ?? ''),
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

interface Job {
  readonly audience: string
  readonly hostedUrl: string
  /** Tokens name it only when the job does. */
  readonly environment?: string | undefined
}

const plain = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : JSON.stringify(text))

/** The command asks GitHub for the token itself, so it is in no file and no variable. */
function githubSnippet({ audience, hostedUrl, environment }: Job): string {
  return `permissions:
  id-token: write
  contents: read
jobs:
  deploy:
    runs-on: ubuntu-latest
${environment ? `    environment: ${plain(environment)}\n` : ''}    env:
      COUNTERSIGN_HOSTED_URL: ${plain(hostedUrl)}
      COUNTERSIGN_AUDIENCE: ${plain(audience)}
    steps:
      - uses: actions/checkout@v4
      - run: countersign apply -f state.yaml --yes
`
}

function gitlabSnippet({ audience, hostedUrl, environment }: Job): string {
  return `deploy:
${environment ? `  environment: ${plain(environment)}\n` : ''}  variables:
    COUNTERSIGN_HOSTED_URL: ${plain(hostedUrl)}
  id_tokens:
    COUNTERSIGN_API_TOKEN:
      aud: ${plain(audience)}
  script:
    - countersign apply -f state.yaml --yes
`
}

function kubernetesSnippet({ audience, hostedUrl }: Job, serviceAccount: string): string {
  return `spec:
  serviceAccountName: ${plain(serviceAccount)}
  containers:
    - name: deploy
      env:
        - name: COUNTERSIGN_HOSTED_URL
          value: ${plain(hostedUrl)}
      volumeMounts:
        - name: countersign
          mountPath: /var/run/secrets/countersign
          readOnly: true
  volumes:
    - name: countersign
      projected:
        sources:
          - serviceAccountToken:
              path: token
              audience: ${plain(audience)}
              expirationSeconds: 3600
`
}

/** The configuration of the job for the conditions of an account; undefined when they are of no known platform. */
export function findWorkloadSnippet(
  conditions: Readonly<Record<string, unknown>>,
  audience: string,
  hostedUrl: string,
): string | undefined {
  const { repository, project_path, environment, sub } = conditions
  const job = { audience, hostedUrl, environment: typeof environment === 'string' ? environment : undefined }
  if (repository !== undefined) return githubSnippet(job)
  if (project_path !== undefined) return gitlabSnippet(job)
  if (typeof sub !== 'string' || !sub.startsWith(SERVICE_ACCOUNT)) return undefined
  return kubernetesSnippet(job, sub.slice(SERVICE_ACCOUNT.length).split(':')[1] ?? '')
}
