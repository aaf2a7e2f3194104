import { stat } from 'node:fs/promises'
import type { ConfiguredFiles } from './configured-certificate.ts'
import { type KeyMaterial, type KeyMaterialOptions, reloadKeyMaterial } from './load-key-material.ts'

export interface CertificateWatchOptions extends KeyMaterialOptions {
  /** What the server shows now. */
  readonly current: KeyMaterial
  /** New material to show from now on. */
  readonly onChange: (material: KeyMaterial) => void
  /** One sentence for the operator; the material in use stays in use. */
  readonly onProblem: (message: string) => void
  readonly renewalCheckMs?: number
  readonly filePollMs?: number
  /** Looks only when it is asked to. */
  readonly isOnDemand?: boolean
}

export interface CertificateWatch {
  /** Looks at once; for tests and for a reload on demand. */
  check(): Promise<void>
  /** After this nothing is called any more. */
  stop(): void
}

const HOUR_MS = 60 * 60 * 1000
const SECOND_MS = 1000

/**
 * Renews the server certificate before its end and follows the operator's files when they change, without a restart.
 * A file that cannot be used changes nothing and is reported once: on the second look, since certificate and key are
 * seldom written in the same instant.
 */
export function watchServerCertificate(options: CertificateWatchOptions): CertificateWatch {
  const { configured, onChange, onProblem } = options
  let current = options.current
  let seenState: string | undefined
  let failedState: string | undefined
  let reportedProblem: string | undefined
  let isStopped = false
  let running: Promise<void> | undefined

  const report = (message: string): void => {
    if (isStopped || message === reportedProblem) return
    reportedProblem = message
    onProblem(message)
  }

  const reload = async (): Promise<void> => {
    const material = await reloadKeyMaterial(options)
    reportedProblem = undefined
    if (isStopped || (material.tls.cert === current.tls.cert && material.caBundlePem === current.caBundlePem)) return
    current = material
    onChange(material)
  }

  const followFiles = async (files: ConfiguredFiles): Promise<void> => {
    const state = await readState(files)
    if (state === seenState) return
    try {
      await reload()
      seenState = state
    } catch (error) {
      const isSecondLook = state === failedState
      failedState = state
      if (isSecondLook) report(messageOf(error))
    }
  }

  const renew = async (): Promise<void> => {
    try {
      await reload()
    } catch (error) {
      report(messageOf(error))
    }
  }

  const check = async (): Promise<void> => {
    if (isStopped) return
    running ??= (configured ? followFiles(configured) : renew()).finally(() => {
      running = undefined
    })
    await running
  }

  const intervalMs = configured ? (options.filePollMs ?? SECOND_MS) : (options.renewalCheckMs ?? HOUR_MS)
  const timer = options.isOnDemand ? undefined : setInterval(() => void check(), intervalMs)
  timer?.unref()
  const stop = (): void => {
    isStopped = true
    clearInterval(timer)
  }
  return { check, stop }
}

/** Changes whenever one of the files was replaced, written to or removed. */
async function readState(files: ConfiguredFiles): Promise<string> {
  const states = [files.certFile, files.keyFile, files.caFile].map(async (path) => {
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    return found ? `${found.ino}:${found.size}:${found.mtimeNs}:${found.mode}` : 'none'
  })
  return (await Promise.all(states)).join(' ')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
