/** `npm run soak [-- names] [--flags]`: runs the long tests of e2e/soak/ in order. Exits with 1 when one of them fails. */

interface Soak {
  readonly description: string
  readonly flags: string
}

/** By module name. */
const SOAKS: Readonly<Record<string, Soak>> = {
  catalogue: {
    description: 'every hostile request of the tests, in random order',
    flags: '--rounds=100 --seed=N',
  },
  crash: {
    description: 'kills a controller during writes: no acknowledged write is lost',
    flags: '--rounds=100',
  },
  enroll: {
    description: 'one token in a thousand concurrent requests, then controllers killed during enrollments',
    flags: '--races=20 --times=1000 --kills=200',
  },
  faults: {
    description: 'two nodes on one PostgreSQL that is stopped, restarted and disconnected',
    flags: '--seconds=60',
  },
  garbage: {
    description: 'a million garbage requests, and the memory that remains in use',
    flags: '--requests=1000000',
  },
  memory: {
    description: 'an hour of garbage requests together with logins',
    flags: '--minutes=60 --rate=5000',
  },
  simulation: {
    description: 'simulated nodes with faults of network, database and clocks',
    flags: '--seeds=1000 --seed=N',
  },
  upgrade: {
    description: 'two nodes of the previous release are replaced by this one under load: no request fails',
    flags: '--from=COMMIT --seconds=5',
  },
  timing: {
    description: 'whether the response time of a refusal reveals its reason',
    flags: '--samples=100000',
  },
  worlds: {
    description: 'previews of ten thousand changes, compared with what happens',
    flags: '--worlds=10000 --seed=N',
  },
}

const args = process.argv.slice(2)
const flags = args.filter((arg) => arg.startsWith('-'))
const names = args.filter((arg) => !arg.startsWith('-'))
const unknown = names.filter((name) => !Object.hasOwn(SOAKS, name))
if (unknown.length > 0 || flags.includes('--help') || flags.includes('-h')) {
  if (unknown.length > 0) process.stderr.write(`unknown: ${unknown.join(', ')}\n`)
  process.stdout.write(usage())
  process.exitCode = unknown.length > 0 ? 2 : 0
} else {
  for (const [name, soak] of Object.entries(SOAKS))
    if (names.length === 0 || names.includes(name)) await run(name, soak)
}

async function run(name: string, { description }: Soak): Promise<void> {
  process.stdout.write(`\n# ${name}: ${description}\n`)
  try {
    const module: { run(flags: string[]): Promise<void> } = await import(`../e2e/soak/${name}.ts`)
    await module.run(flags)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  }
}

function usage(): string {
  const rows = Object.entries(SOAKS).map(
    ([name, soak]) => `  ${name.padEnd(10)} ${soak.description}\n             ${soak.flags}\n`,
  )
  return `npm run soak [-- names] [--flags]: long tests, all by default; together several hours.\n\n${rows.join('')}`
}
