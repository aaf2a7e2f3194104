/** `npm run image [-- --base=IMAGE] [--tag=NAME]`: stages the image in build/image and builds it with buildah, or with podman or docker. */
import { spawnSync } from 'node:child_process'
import { buildImage } from './image/build-image.ts'
import { stageImage } from './image/stage-image.ts'

const flagOf = (name: string): string | undefined =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)

const stage = await stageImage()
const engine = ['buildah', 'podman', 'docker'].find((name) => spawnSync(name, ['--version']).status === 0)
if (!engine) {
  console.log(`${stage} is staged. Install buildah, podman or docker to build the image from it.`)
} else {
  const tag = flagOf('tag') ?? 'countersign'
  buildImage({ engine, stage, tag, base: flagOf('base') })
  console.log(`built ${tag}`)
}
