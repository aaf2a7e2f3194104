import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../paths.ts'
import { settleConfig } from './settle-config.ts'

export interface ImageOptions {
  readonly engine: string
  readonly stage: string
  readonly tag: string
  /** The image to build on; by default that of the Containerfile. */
  readonly base?: string | undefined
}

/** These set the dates of the image, and leave out their version. */
const REPRODUCIBLE = ['buildah', 'podman'] as const

/** Builds the image of `deploy/Containerfile`. Two builds of one stage on one base have the same id, except with docker. */
export function buildImage({ engine, stage, tag, base }: ImageOptions): void {
  const reproducible = REPRODUCIBLE.find((name) => name === engine)
  const words = [
    'build',
    ...(reproducible ? ['--timestamp=0', '--identity-label=false', '--format=docker'] : []),
    ...(base === undefined ? [] : [`--build-arg=BASE=${base}`]),
    `--file=${join(root, 'deploy/Containerfile')}`,
    `--tag=${tag}`,
    stage,
  ]
  execFileSync(engine, words, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (reproducible) settleConfig(reproducible, tag)
}
