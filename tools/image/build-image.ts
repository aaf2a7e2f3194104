import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../paths.ts'

export interface ImageOptions {
  readonly engine: string
  readonly stage: string
  readonly tag: string
  /** The image to build on; by default that of the Containerfile. */
  readonly base?: string | undefined
}

/** Only buildah and podman set the dates of the image. */
const REPRODUCIBLE: readonly string[] = ['buildah', 'podman']

/** Builds the image of `deploy/Containerfile`. Two builds of one stage on one base have the same digest. */
export function buildImage({ engine, stage, tag, base }: ImageOptions): void {
  const words = [
    'build',
    ...(REPRODUCIBLE.includes(engine) ? ['--timestamp=0', '--format=docker'] : []),
    ...(base === undefined ? [] : [`--build-arg=BASE=${base}`]),
    `--file=${join(root, 'deploy/Containerfile')}`,
    `--tag=${tag}`,
    stage,
  ]
  execFileSync(engine, words, { stdio: ['ignore', 'inherit', 'inherit'] })
}
