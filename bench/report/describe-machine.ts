import { cpus, totalmem } from 'node:os'

/** Describes the hardware and runtime, without the host name. */
export function describeMachine(): string[] {
  const cores = cpus()
  const [model = 'unknown CPU'] = cores.map((core) => core.model)
  return [
    `${cores.length} cores (${model.trim()})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `${{ linux: 'Linux', darwin: 'macOS', win32: 'Windows' }[process.platform as string] ?? process.platform} on ${process.arch}`,
    `Node ${process.versions.node}`,
    'load generator and server on the same cores',
  ]
}
