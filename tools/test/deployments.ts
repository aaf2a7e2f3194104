import { createHash } from 'node:crypto'

/** How a controller can be deployed. Tests build their controllers by `TEST_DEPLOYMENT`, which is `embedded` unless set. */
export const DEPLOYMENTS = ['embedded', 'workers', 'postgres', 'nodes'] as const
export type Deployment = (typeof DEPLOYMENTS)[number]

/** Test files whose behaviour must be the same on every deployment. */
export const BEHAVIOURS = ['packages/server/test/{http,events,hosted,operations,races}/**/*.test.ts']

export interface DeploymentRun {
  readonly deployment: Deployment
  readonly files: readonly string[]
}

/**
 * Chooses the runs on the deployments beside `embedded`: every file on every deployment, or, with a seed, about one pair of file and
 * deployment in ten. The same seed chooses the same pairs.
 */
export function chooseDeploymentRuns(files: readonly string[], seed: string | undefined): DeploymentRun[] {
  return DEPLOYMENTS.filter((deployment) => deployment !== 'embedded')
    .map((deployment) => ({
      deployment,
      files: files.filter((file) => seed === undefined || isSampled(deployment, file, seed)),
    }))
    .filter((run) => run.files.length > 0)
}

function isSampled(deployment: Deployment, file: string, seed: string): boolean {
  const pair = `${seed} ${deployment} ${file}`
  return createHash('sha256').update(pair).digest().readUInt32BE() % 10 === 0
}
