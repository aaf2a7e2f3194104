/**
 * Loaded before the files of a test process. node:test follows each promise by an async hook, only to name the test of a stray error, which takes
 * about a tenth of the processor time. Without the hook a stray error fails the process, which prints it.
 */
import hooks from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const { createHook } = hooks
  const noHook = { enable: () => noHook, disable: () => noHook }
  hooks.createHook = () => noHook
  // node:test takes the function when it is loaded.
  await import('node:test')
  hooks.createHook = createHook
  process.on('unhandledRejection', console.error)
  process.on('uncaughtExceptionMonitor', console.error)
}
