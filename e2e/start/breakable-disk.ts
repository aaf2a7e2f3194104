import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ReadyController } from '@countersign/testkit'

/** A disk for one test that can be broken under a running controller. */
export interface BreakableDisk {
  readonly folder: string
  break(controller: ReadyController): void
  /** Repairs the disk. Stop its processes first if it had turned read-only. */
  repair(controller: ReadyController): void
}

const IMAGE_BYTES = 24 * 1024 * 1024

/** A small disk that can be filled. Needs root; without it a file size limit of the process causes the same errors. */
export function makeFullDisk(t: TestContext): BreakableDisk {
  const folder = makeMountPoint(t)
  if (!isRoot()) return limitedFiles(folder)
  run('mount', '-t', 'tmpfs', '-o', 'size=12m,mode=700', 'tmpfs', folder)
  const filler = join(folder, 'filler')
  return {
    folder,
    break: () => {
      for (let bytes = 1024 * 1024; bytes >= 1; ) {
        try {
          appendFileSync(filler, Buffer.alloc(bytes))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
          bytes = Math.floor(bytes / 2)
        }
      }
    },
    repair: () => rmSync(filler),
  }
}

/** A file system that the kernel remounts read-only after an error. Needs root and a loop device; without them as `makeFullDisk`. */
export function makeFailingDisk(t: TestContext): BreakableDisk {
  const folder = makeMountPoint(t)
  if (!isRoot()) return limitedFiles(folder)
  const image = `${folder}.img`
  t.after(() => rmSync(image, { force: true }))
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  run('mkfs.ext4', '-q', '-F', image)
  const mount = (): void => run('mount', '-o', 'loop,errors=remount-ro', image, folder)
  mount()
  return {
    folder,
    break: () => {
      const [device = ''] = readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .map((line) => line.split(' '))
        .flatMap(([source = '', target]) => (target === folder ? [basename(source)] : []))
      writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, 'a test')
    },
    repair: () => {
      run('umount', folder)
      mount()
    },
  }
}

const isRoot = (): boolean => process.getuid?.() === 0

function makeMountPoint(t: TestContext): string {
  const parent = mkdtempSync(join(tmpdir(), 'countersign-disk-'))
  const folder = join(parent, 'disk')
  mkdirSync(folder)
  t.after(() => {
    // Lazy: detaches now, and unmounts when it is no longer in use.
    if (isRoot()) spawnSync('umount', ['--lazy', folder])
    rmSync(parent, { recursive: true, force: true })
  })
  return folder
}

function limitedFiles(folder: string): BreakableDisk {
  const limit = (bytes: string) => (controller: ReadyController) =>
    run('prlimit', '--pid', String(controller.pid), `--fsize=${bytes}:`)
  return { folder, break: limit('1'), repair: limit('unlimited') }
}

/** Throws with the program's output: a test that cannot break its disk proves nothing. */
function run(program: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`)
}
