import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMissingOptionals, readPlatform } from './complete-lock.ts'

test('findMissingOptionals returns optional packages without a hoisted or nested entry', () => {
  const optionalDependencies = { 'x-linux-x64': '1.0.0', 'x-linux-arm64': '1.0.0', 'x-darwin-arm64': '1.0.0' }
  const missing = findMissingOptionals({
    packages: {
      '': {},
      'node_modules/x': { version: '1.0.0', dev: true, optionalDependencies },
      'node_modules/x-linux-x64': { version: '1.0.0' },
      'node_modules/x/node_modules/x-linux-arm64': { version: '1.0.0' },
    },
  })
  assert.deepEqual(missing, [
    { path: 'node_modules/x-darwin-arm64', name: 'x-darwin-arm64', version: '1.0.0', dev: true },
  ])
})

test('readPlatform reads the platform of a binary package from its name', () => {
  assert.deepEqual(readPlatform('@biomejs/cli-linux-x64-musl'), { os: ['linux'], cpu: ['x64'], libc: ['musl'] })
  assert.deepEqual(readPlatform('@oxc-parser/binding-android-arm-eabi'), { os: ['android'], cpu: ['arm'] })
  assert.deepEqual(readPlatform('@oxc-parser/binding-win32-ia32-msvc'), { os: ['win32'], cpu: ['ia32'] })
  assert.throws(() => readPlatform('fsevents'))
})
